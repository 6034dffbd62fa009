// The shipped injector under its spin lock.
#include "catalog.hpp"
#include "deque_world.hpp"
#include "pool/injector.hpp"

namespace nearfork::model::programs {
namespace {

struct queue_world {
  detail::injector queue;
  std::array<item, 2> items;
  std::array<std::array<std::uint8_t, 2>, 4> taken{};

  void push(unsigned i) {
    items[i].payload.set(1);
    queue.push(&items[i]);
  }
  bool pop() {
    auto* const t = static_cast<item*>(queue.pop());
    if (t == nullptr) return false;
    require(t->payload.get() == 1, "taken: the task is not ready");
    ++taken[this_thread()][static_cast<std::size_t>(t - items.data())];
    return true;
  }
  void check() {
    while (pop()) {
    }
    require(queue.size() == 0, "the count is wrong");
    for (unsigned i = 0; i < items.size(); ++i) {
      unsigned times = 0;
      for (const auto& row : taken) times += row[i];
      require(times == 1, "a task was not taken once");
    }
  }
};

entry make(std::string name, std::vector<std::function<void(queue_world&)>> threads) {
  program<queue_world> p;
  p.name = std::move(name);
  for (auto& t : threads) p.threads.emplace_back("T" + std::to_string(p.threads.size() + 1), t);
  p.check = [](queue_world& s) { s.check(); };
  return make_entry(std::move(p));
}

void push_both(queue_world& s) {
  s.push(0);
  s.push(1);
}

}  // namespace

std::vector<entry> injector_programs() {
  return {make("injector_push_push_pop_pop", {push_both,
                                              [](queue_world& s) {
                                                s.pop();
                                                s.pop();
                                              }}),
          make("injector_two_producers_one_worker",
               {[](queue_world& s) { s.push(0); }, [](queue_world& s) { s.push(1); },
                [](queue_world& s) { s.pop(); }}),
          make("injector_two_workers",
               {push_both, [](queue_world& s) { s.pop(); }, [](queue_world& s) { s.pop(); }})};
}

}  // namespace nearfork::model::programs

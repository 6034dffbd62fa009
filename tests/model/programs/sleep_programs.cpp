// The shipped sleep protocol with shipped deques, injector and epochs: workers, and outside threads
// that bring tasks. A schedule may end with all workers asleep, and then no task may be left.
#include "catalog.hpp"
#include "crew.hpp"

namespace nearfork::model::programs {
namespace {

using one = crew<1>;
using two = crew<2>;
using resizable_one = crew<1, true>;

template <unsigned workers, bool resizable = false>
entry make(std::string name, unsigned tasks,
           std::vector<std::function<void(crew<workers, resizable>&)>> threads,
           std::vector<machine> on = every_machine) {
  program<crew<workers, resizable>> p;
  p.name = std::move(name);
  for (std::size_t i = 0; i < threads.size(); ++i)
    p.threads.emplace_back(i < workers ? "worker " + std::to_string(i) : "outside", threads[i]);
  p.check = [tasks](auto& s) { s.check(tasks); };
  options how;
  how.may_end_asleep = true;
  return make_entry(std::move(p), how, std::move(on));
}

// More states than the tests have time for in the other machines.
const std::vector<machine> only_sequential{machine::sequential};

/// Task 0 through a sleeper's seat, or by the injector if nobody sleeps.
void be_guest(one& s) {
  if (!s.visit([](one& c, unsigned seat) { c.push(seat, 0); })) s.inject(0);
}

}  // namespace

std::vector<entry> sleep_programs() {
  std::vector<entry> list;
  list.push_back(
      make<1>("sleep_inject_to_one", 1, {[](one& s) { s.work(0); }, [](one& s) { s.inject(0); }}));
  list.push_back(make<1>("sleep_guest_leaves_a_task", 1, {[](one& s) { s.work(0); }, be_guest}));
  list.push_back(make<1, true>("sleep_bench_and_resume", 1,
                               {[](resizable_one& s) {
                                  s.bench(0);
                                  s.work(0, true);
                                },
                                [](resizable_one& s) {
                                  s.resize(1);
                                  s.inject(0);
                                }}));
  list.push_back(make<1>("sleep_inject_two_to_one", 2,
                         {[](one& s) { s.work(0); },
                          [](one& s) {
                            s.inject(0);
                            s.inject(1);
                          }},
                         only_sequential));
  list.push_back(
      make<1>("sleep_two_producers_to_one", 2,
              {[](one& s) { s.work(0); }, [](one& s) { s.inject(0); }, [](one& s) { s.inject(1); }},
              only_sequential));
  list.push_back(make<1>("sleep_guest_and_producer", 2,
                         {[](one& s) { s.work(0); }, be_guest, [](one& s) { s.inject(1); }},
                         only_sequential));
  list.push_back(make<2>("sleep_push_in_a_long_task", 1,
                         {[](two& s) {
                            s.push(0, 0);
                            s.wait_for(0);
                          },
                          [](two& s) { s.work(1); }}));
  return list;
}

}  // namespace nearfork::model::programs

// The shipped deque with the shipped epochs and list of retired buffers: one owner, up to two
// thieves. `visible`: without a private tail, each push is public at once.
#include "catalog.hpp"
#include "deque_world.hpp"

namespace nearfork::model::programs {
namespace {

template <int capacity, bool asymmetric>
using code = std::function<void(deque_world<capacity, asymmetric>&)>;

template <int capacity, bool asymmetric>
entry make(std::string name, std::vector<code<capacity, asymmetric>> threads,
           std::vector<machine> on = every_machine) {
  program<deque_world<capacity, asymmetric>> p;
  p.name = std::move(name);
  const char* const names[] = {"owner", "thief 1", "thief 2"};
  for (std::size_t i = 0; i < threads.size(); ++i) p.threads.emplace_back(names[i], threads[i]);
  p.check = [](auto& s) { s.check(); };
  return make_entry(std::move(p), {}, std::move(on));
}

using visible = deque_world<4, false>;
using hidden = deque_world<4, true>;
using small = deque_world<2, false>;
using small_hidden = deque_world<2, true>;
using least = deque_world<1, false>;
using least_hidden = deque_world<1, true>;

// More states than the tests have time for in total store order.
const std::vector<machine> not_tso{machine::sequential, machine::views};

}  // namespace

std::vector<entry> deque_programs() {
  std::vector<entry> list;
  list.push_back(make<4, false>("visible_none_pop_steal",
                                {[](visible& s) { s.pop(); }, [](visible& s) { s.steal(0); }}));
  list.push_back(make<4, false>("visible_one_pop_steal", {[](visible& s) {
                                                            s.push(0);
                                                            s.pop();
                                                          },
                                                          [](visible& s) { s.steal(0); }}));
  list.push_back(make<4, false>("visible_two_pop_pop_steal_steal", {[](visible& s) {
                                                                      s.push(0);
                                                                      s.push(1);
                                                                      s.pop();
                                                                      s.pop();
                                                                    },
                                                                    [](visible& s) {
                                                                      s.steal(0);
                                                                      s.steal(0);
                                                                    }}));
  list.push_back(make<4, false>("visible_one_pop_two_thieves",
                                {[](visible& s) {
                                   s.push(0);
                                   s.pop();
                                 },
                                 [](visible& s) { s.steal(0); }, [](visible& s) { s.steal(1); }}));
  list.push_back(make<4, false>("visible_two_pop_pop_two_thieves",
                                {[](visible& s) {
                                   s.push(0);
                                   s.push(1);
                                   s.pop();
                                   s.pop();
                                 },
                                 [](visible& s) { s.steal(0); }, [](visible& s) { s.steal(1); }}));
  list.push_back(make<4, false>("visible_three_pop_push_steal_steal", {[](visible& s) {
                                                                         s.push(0);
                                                                         s.push(1);
                                                                         s.push(2);
                                                                         s.pop();
                                                                         s.push(3);
                                                                         s.pop();
                                                                         s.pop();
                                                                       },
                                                                       [](visible& s) {
                                                                         s.steal(0);
                                                                         s.steal(0);
                                                                       }}));
  list.push_back(make<4, true>("private_request_push_steal", {[](hidden& s) {
                                                                s.push(0);
                                                                s.push(1);
                                                                s.push(2);
                                                                s.pop();
                                                              },
                                                              [](hidden& s) {
                                                                s.request();
                                                                s.steal(0);
                                                              }}));
  list.push_back(make<4, true>("private_two_pop_pop_revoke_steal", {[](hidden& s) {
                                                                      s.push(0);
                                                                      s.push(1);
                                                                      s.pop();
                                                                      s.pop();
                                                                    },
                                                                    [](hidden& s) {
                                                                      s.revoke();
                                                                      s.steal(0);
                                                                    }}));
  list.push_back(make<4, true>("private_two_take_back_revoke_steal", {[](hidden& s) {
                                                                        s.push(0);
                                                                        s.push(1);
                                                                        s.pop_expected(1);
                                                                        s.pop_expected(0);
                                                                      },
                                                                      [](hidden& s) {
                                                                        s.revoke();
                                                                        s.steal(0);
                                                                      }}));
  list.push_back(make<4, true>("private_two_take_back_request_and_thief", {[](hidden& s) {
                                                                             s.push(0);
                                                                             s.push(1);
                                                                             s.pop_expected(1);
                                                                             s.pop_expected(0);
                                                                           },
                                                                           [](hidden& s) {
                                                                             s.request();
                                                                             s.steal(0);
                                                                           }}));
  list.push_back(make<4, true>("private_two_take_back_revoker_and_thief",
                               {[](hidden& s) {
                                  s.push(0);
                                  s.push(1);
                                  s.pop_expected(1);
                                  s.pop_expected(0);
                                },
                                [](hidden& s) { s.revoke(); }, [](hidden& s) { s.steal(0); }}));
  list.push_back(make<4, true>("private_two_take_back_two_revokers",
                               {[](hidden& s) {
                                  s.push(0);
                                  s.push(1);
                                  s.pop_expected(1);
                                  s.pop_expected(0);
                                },
                                [](hidden& s) { s.revoke(); }, [](hidden& s) { s.revoke(); }}));
  list.push_back(make<4, true>("private_publish_all_and_thief", {[](hidden& s) {
                                                                   s.push(0);
                                                                   s.push(1);
                                                                   s.deque.publish_all();
                                                                   s.pop();
                                                                 },
                                                                 [](hidden& s) { s.steal(0); }}));
  list.push_back(make<2, false>("visible_growth_steal_steal", {[](small& s) {
                                                                 s.push(0);
                                                                 s.push(1);
                                                                 s.push(2);
                                                                 s.pop();
                                                               },
                                                               [](small& s) {
                                                                 s.steal(0);
                                                                 s.steal(0);
                                                               }}));
  list.push_back(make<2, true>("private_growth_revoke_steal", {[](small_hidden& s) {
                                                                 s.push(0);
                                                                 s.push(1);
                                                                 s.push(2);
                                                                 s.pop();
                                                               },
                                                               [](small_hidden& s) {
                                                                 s.revoke();
                                                                 s.steal(0);
                                                               }}));
  list.push_back(
      make<2, false>("visible_growth_thief_and_reclaimer",
                     {[](small& s) {
                        s.push(0);
                        s.push(1);
                      },
                      [](small& s) { s.steal(0); }, [](small& s) { s.clocks.limbo.reclaim(); }}));
  list.push_back(make<2, false>("visible_growth_two_thieves",
                                {[](small& s) {
                                   s.push(0);
                                   s.push(1);
                                   s.pop();
                                 },
                                 [](small& s) { s.steal(0); }, [](small& s) { s.steal(1); }}));
  list.push_back(make<1, true>("private_growth_twice_revoke_steal", {[](least_hidden& s) {
                                                                       s.push(0);
                                                                       s.push(1);
                                                                       s.pop_expected(1);
                                                                       s.pop();
                                                                     },
                                                                     [](least_hidden& s) {
                                                                       s.revoke();
                                                                       s.steal(0);
                                                                     }}));
  list.push_back(make<1, false>("visible_growth_twice_steal_steal", {[](least& s) {
                                                                       s.push(0);
                                                                       s.push(1);
                                                                       s.pop_expected(1);
                                                                     },
                                                                     [](least& s) {
                                                                       s.steal(0);
                                                                       s.steal(0);
                                                                     }}));
  list.push_back(make<2, true>("private_no_memory_revoke_steal", {[](small_hidden& s) {
                                                                    s.deque.memory().allow(0);
                                                                    s.push(0);
                                                                    s.push(1);
                                                                    s.pop();
                                                                    s.push(2);
                                                                  },
                                                                  [](small_hidden& s) {
                                                                    s.revoke();
                                                                    s.steal(0);
                                                                  }}));
  list.push_back(make<2, false>("visible_no_memory_steal", {[](small& s) {
                                                              s.deque.memory().allow(0);
                                                              s.push(0);
                                                              s.push(1);
                                                              s.pop();
                                                              s.push(2);
                                                            },
                                                            [](small& s) { s.steal(0); }}));
  list.push_back(make<1, false>("visible_shrink_steal_steal", {[](least& s) {
                                                                 s.push(0);
                                                                 s.push(1);
                                                                 s.pop();
                                                                 s.pop();
                                                                 s.deque.shrink();
                                                                 s.push(2);
                                                               },
                                                               [](least& s) {
                                                                 s.steal(0);
                                                                 s.steal(0);
                                                               }}));
  list.push_back(make<1, true>("private_shrink_revoke_steal",
                               {[](least_hidden& s) {
                                  s.push(0);
                                  s.push(1);
                                  s.pop();
                                  s.pop();
                                  s.deque.shrink();
                                  s.push(2);
                                },
                                [](least_hidden& s) {
                                  s.revoke();
                                  s.steal(0);
                                }},
                               not_tso));
  list.push_back(make<4, true>("private_three_thief_and_revoker",
                               {[](hidden& s) {
                                  s.push(0);
                                  s.push(1);
                                  s.push(2);
                                  s.pop_expected(2);
                                  s.pop_expected(1);
                                  s.pop();
                                },
                                [](hidden& s) {
                                  s.request();
                                  s.steal(0);
                                },
                                [](hidden& s) { s.revoke(); }},
                               not_tso));
  return list;
}

}  // namespace nearfork::model::programs

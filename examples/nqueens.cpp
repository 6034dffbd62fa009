// N queens: counts the ways to put n queens on an n x n board so that none attacks another. A
// search tree of small, uneven branches, with a fork for each placement.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nearfork/nearfork.hpp>

namespace {

using mask = std::uint32_t;

// The squares of the next row that queens above attack, as bits.
struct attacked {
  mask columns = 0, rising = 0, falling = 0;

  mask free_squares(mask board) const { return board & ~(columns | rising | falling); }
  attacked after(mask queen) const {
    return {columns | queen, (rising | queen) << 1, (falling | queen) >> 1};
  }
};

std::uint64_t count(nearfork::context& worker, mask board, attacked a);

// Counts the solutions with the next queen on one of the given squares, of which there is one.
std::uint64_t count_squares(nearfork::context& worker, mask board, attacked a, mask squares) {
  const mask first = squares & (~squares + 1);
  const mask rest = squares ^ first;
  if (rest == 0) {
    return count(worker, board, a.after(first));
  }
  const auto [x, y] = nearfork::join(
      worker, [=](nearfork::context& w) { return count(w, board, a.after(first)); },
      [=](nearfork::context& w) { return count_squares(w, board, a, rest); });
  return x + y;
}

std::uint64_t count(nearfork::context& worker, mask board, attacked a) {
  if (a.columns == board) {
    return 1;
  }
  const mask squares = a.free_squares(board);
  return squares == 0 ? 0 : count_squares(worker, board, a, squares);
}

constexpr std::uint64_t solutions[] = {1,  1,   0,   0,    2,     10,    4,      40,
                                       92, 352, 724, 2680, 14200, 73712, 365596, 2279184};

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 11;
  if (argc > 2 || n < 1 || n > 15) {
    std::fprintf(stderr, "usage: %s [N], N from 1 to 15\n", argv[0]);
    return 2;
  }
  const mask board = (mask{1} << n) - 1;

  nearfork::pool pool;
  const std::uint64_t found =
      pool.run([&](nearfork::context& worker) { return count(worker, board, {}); });

  const bool correct = found == solutions[n];
  std::printf("%d queens: %llu solutions, %zu workers: %s\n", n,
              static_cast<unsigned long long>(found), pool.worker_count(),
              correct ? "correct" : "WRONG");
  return correct ? 0 : 1;
}

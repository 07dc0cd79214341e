// workers: threads that take tasks from a queue, and measure the tasks and the queue.
//
//   workers [threads [tasks]]   threads from 1 to 256, 4 if left out; tasks from 0 to 1000000, 1000
//                               if left out
//
//   TACHO_REGIONS=text workers         the program prints a report itself
//   tacho stat --regions -- workers    the regions, and the counts of the whole program
//
// Each thread keeps its own figures, so the measurement makes no thread wait for another. The
// report adds them up. Each task is one execution of "task". Each thread asks the queue once more
// than it gets tasks, so "next task" has as many executions as there are tasks plus threads.
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "argument.hpp"
#include "tacho/caliper.hpp"

namespace {

class Queue {
 public:
  explicit Queue(std::uint64_t tasks) : left_(tasks) {}

  std::optional<std::uint64_t> next() {
    TACHO_REGION("next task");
    const std::lock_guard lock(mutex_);
    if (left_ == 0) return std::nullopt;
    return left_--;
  }

 private:
  std::mutex mutex_;
  std::uint64_t left_;
};

// Computes the length of the Collatz sequence of each number up to `task`, so tasks differ in size.
std::uint64_t solve(std::uint64_t task) {
  TACHO_REGION("task");
  std::uint64_t steps = 0;
  for (std::uint64_t start = 1; start <= task; ++start)
    for (std::uint64_t n = start; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) ++steps;
  return steps;
}

void work(Queue& queue, std::uint64_t& steps) {
  while (const auto task = queue.next()) steps += solve(*task);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t threads = 4, tasks = 1000;
  if (argc > 1 && !parsed("workers", argv[1], 1, 256, threads)) return 2;
  if (argc > 2 && !parsed("workers", argv[2], 0, 1'000'000, tasks)) return 2;
  if (argc > 3) {
    std::fprintf(stderr, "workers: unexpected argument '%s'\n", argv[3]);
    return 2;
  }
  Queue queue(tasks);
  std::vector<std::uint64_t> steps(static_cast<std::size_t>(threads));
  std::vector<std::thread> all;
  for (std::uint64_t& own : steps) all.emplace_back([&] { work(queue, own); });
  for (std::thread& thread : all) thread.join();
  std::uint64_t sum = 0;
  for (const std::uint64_t own : steps) sum += own;
  std::printf("workers: %llu tasks, %llu steps\n", static_cast<unsigned long long>(tasks),
              static_cast<unsigned long long>(sum));
  return 0;
}

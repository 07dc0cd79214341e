#include "latency/chase/round_trips.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/cpus.hpp"
#include "latency/inference/rules.hpp"
#include "stats/quantile.hpp"
#include "tacho/ticks.hpp"

namespace tacho::chase {
namespace {

constexpr const ParallelRules& kRoundTrips = kLatencyRules.parallel;

// Two numbers that follow each other, in the line that moves between the CPUs.
struct alignas(128) Ball {
  std::atomic<unsigned> thrown{0};
  std::atomic<unsigned> returned{0};
  std::atomic<bool> over{false};
};

// A thread that shares the CPU must be able to run, or the answer never comes.
template <class Ready>
bool wait(Ready ready, const std::atomic<bool>& over) {
  for (unsigned looks = 0; !ready(); ++looks) {
    if (over.load(std::memory_order_relaxed)) return false;
    if (looks % kRoundTrips.patience == kRoundTrips.patience - 1) std::this_thread::yield();
  }
  return true;
}

void return_balls(int cpu, Ball& ball, std::atomic<int>& ready) {
  ready = keep_to_cpu(cpu) ? 1 : -1;
  for (unsigned expected = 1;; ++expected) {
    if (!wait([&] { return ball.thrown.load(std::memory_order_acquire) == expected; }, ball.over))
      return;
    ball.returned.store(expected, std::memory_order_release);
  }
}

}  // namespace

std::optional<Estimated> round_trip_ns(int from, int to, const Stop& stop) {
  if (!keep_to_cpu(from)) return std::nullopt;
  Ball ball;
  std::atomic<int> ready{0};
  std::thread other([&] { return_balls(to, ball, ready); });
  while (ready == 0) std::this_thread::yield();
  std::vector<std::uint64_t> series;  // ticks
  const auto deadline = std::chrono::steady_clock::now() + kRoundTrips.longest;
  unsigned thrown = 0;
  while (ready == 1 && series.size() < kRoundTrips.series && !stop() &&
         std::chrono::steady_clock::now() < deadline) {
    const std::uint64_t begin = ordered_ticks();
    for (unsigned i = 0; i < kRoundTrips.trips; ++i) {
      ball.thrown.store(++thrown, std::memory_order_release);
      wait([&] { return ball.returned.load(std::memory_order_acquire) == thrown; }, ball.over);
    }
    series.push_back(ordered_ticks() - begin);
  }
  ball.over = true;
  other.join();
  if (series.empty()) return std::nullopt;
  return scaled(quantile95_in_order(series, 0.5), 1e9 / (kRoundTrips.trips * tick_clock().hz));
}

}  // namespace tacho::chase

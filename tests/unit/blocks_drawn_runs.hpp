// Code runs with a known distribution of cycles, as branch stacks would show them: the truth for
// tests of their intervals. It shares no code with src/blocks.
//
// A run is fast or slow. The probability that an execution is slow changes over time. A stack has 1
// to 16 executions of one moment. The truth is that of all executions of this recording's time, of
// which the stacks show one part in fifty.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "blocks/code_runs.hpp"
#include "interval_score.hpp"

namespace tacho::drawn {

// Cycles of an execution.
enum class Cycles {
  two_modes,  // 40 or 140, ± 5 %
  skewed,     // 30 and an exponential tail; slow ones take three times as long
  long_tail,  // lognormal, sigma 1; slow ones take three times as long
  rare,       // 40, and one execution in 100 takes 2,000; slow ones take twice as long
  constant,   // 32 or 33, as in a loop that always hits
};
inline constexpr std::array<std::pair<Cycles, std::string_view>, 5> kCycles{
    {{Cycles::two_modes, "two modes"},
     {Cycles::skewed, "skewed"},
     {Cycles::long_tail, "long tail"},
     {Cycles::rare, "1 % take 50 times as long"},
     {Cycles::constant, "constant"}}};

// How executions resemble each other.
enum class Order {
  independent,
  alike,        // a stack falls into one of many short phases
  phases,       // a phase lasts for 20 stacks on average
  drift,        // slow executions become more and more frequent
  overlapping,  // as alike; each stack has half of its executions in common with the one before
};
inline constexpr std::array<std::pair<Order, std::string_view>, 5> kOrders{
    {{Order::independent, "independent"},
     {Order::alike, "alike in a stack"},
     {Order::phases, "phases of 20 stacks"},
     {Order::drift, "drift"},
     {Order::overlapping, "overlapping stacks"}}};

inline constexpr unsigned kInstructions = 120;
inline constexpr std::size_t kMostInStack = 16;

inline std::uint16_t cycles_of(Cycles kind, bool slow, RandomDraws& random) {
  double cycles = 0;
  switch (kind) {
    case Cycles::two_modes:
      cycles = (slow ? 140 : 40) * (1 + 0.05 * random.normal());
      break;
    case Cycles::skewed:
      cycles = (slow ? 3 : 1) * (30 + random.exponential(30));
      break;
    case Cycles::long_tail:
      cycles = (slow ? 3 : 1) * 40 * std::exp(random.normal());
      break;
    case Cycles::rare:
      cycles = (slow ? 2 : 1) * (random.happens(0.01) ? 2000 : 40) + 10 * random.uniform();
      break;
    case Cycles::constant:
      cycles = random.happens(0.5) ? 32 : 33;
      break;
  }
  return static_cast<std::uint16_t>(std::clamp(std::round(cycles), 1.0, 65534.0));
}

// The distribution of cycles of fast or of slow executions, from 200,000 draws.
class Distribution {
 public:
  Distribution(Cycles kind, bool slow) : up_to_(65536) {
    constexpr std::size_t kDraws = 200'000;
    RandomDraws random(99);
    for (std::size_t i = 0; i < kDraws; ++i) {
      const std::uint16_t cycles = cycles_of(kind, slow, random);
      mean_ += cycles / static_cast<double>(kDraws);
      up_to_[cycles] += 1.0 / kDraws;
    }
    for (std::size_t i = 1; i < up_to_.size(); ++i) up_to_[i] += up_to_[i - 1];
  }
  double mean() const { return mean_; }
  double up_to(std::size_t cycles) const { return up_to_[cycles]; }  // share of the executions

 private:
  double mean_ = 0;
  std::vector<double> up_to_;
};

// The truth about cycles if this share of the executions is slow.
class Truth {
 public:
  Truth(Cycles kind, double slow) : slow_(slow) {
    static std::map<Cycles, std::array<Distribution, 2>> known;
    const auto found = known.find(kind);
    both_ = found != known.end() ? &found->second
                                 : &known
                                        .try_emplace(kind, std::array{Distribution(kind, false),
                                                                      Distribution(kind, true)})
                                        .first->second;
  }
  double mean() const { return (1 - slow_) * (*both_)[0].mean() + slow_ * (*both_)[1].mean(); }
  double quantile(double q) const {
    std::size_t low = 0;
    std::size_t high = 65535;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      const double up_to =
          (1 - slow_) * (*both_)[0].up_to(middle) + slow_ * (*both_)[1].up_to(middle);
      if (up_to >= q)
        high = middle;
      else
        low = middle + 1;
    }
    return static_cast<double>(low);
  }

 private:
  double slow_;
  const std::array<Distribution, 2>* both_;
};

struct Drawn {
  CodeRun run;
  double slow = 0;  // share of all executions
};

// The share of slow executions at each moment. The moments are as many as executions.
inline std::vector<double> slow_over_time(Order order, std::size_t stacks, std::size_t apart,
                                          RandomDraws& random) {
  constexpr double kSlow = 0.3;
  std::vector<double> slow(stacks * apart + kMostInStack, kSlow);
  const double length = order == Order::phases ? 20.0 * static_cast<double>(apart) : 16;
  double now = 0;
  double left = 0;
  for (std::size_t at = 0; at < slow.size(); ++at) {
    if (order == Order::independent) break;
    if (order == Order::drift) {
      slow[at] = 2 * kSlow * static_cast<double>(at) / static_cast<double>(slow.size());
      continue;
    }
    if (left-- <= 0) {
      now = random.happens(kSlow) ? 0.9 : 0.04;
      left = random.exponential(length);
    }
    slow[at] = now;
  }
  return slow;
}

inline Drawn draw_run(Cycles kind, Order order, std::size_t stacks, RandomDraws& random) {
  const bool overlap = order == Order::overlapping;
  const std::size_t apart = overlap ? kMostInStack / 2 : 50;
  const std::vector<double> slow = slow_over_time(order, stacks, apart, random);
  Drawn drawn;
  CodeRun& run = drawn.run;
  run.instructions = kInstructions;
  for (const double each : slow) drawn.slow += each / static_cast<double>(slow.size());
  const auto draw = [&](std::size_t moment) {
    KeptExecution made;
    made.mispredicted = random.happens(slow[moment]);
    made.has_prediction = true;
    made.cycles = cycles_of(kind, made.mispredicted, random);
    return made;
  };
  std::vector<KeptExecution> all;  // of the recording's time, if stacks have some in common
  if (overlap)
    for (std::size_t at = 0; at < slow.size(); ++at) all.push_back(draw(at));
  for (std::size_t stack = 0; stack < stacks; ++stack) {
    const std::size_t begin = stack * apart + (overlap ? 0 : random.below(apart));
    const std::size_t executions = overlap ? kMostInStack : 1 + random.below(kMostInStack);
    for (std::size_t i = 0; i < executions; ++i) {
      KeptExecution each = overlap ? all[begin + i] : draw(begin);
      each.stack = static_cast<std::uint32_t>(stack);
      run.kept.push_back(each);
      run.cycles.add(each.cycles);
      run.cycle_sum += each.cycles;
      run.mispredicted += each.mispredicted ? 1 : 0;
    }
  }
  run.count = run.with_prediction = run.kept.size();
  return drawn;
}

}  // namespace tacho::drawn

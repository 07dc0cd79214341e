// Replays series of runs of equal programs through the test of `tacho compare`: how often it claims
// a change that is made up, and how often one that is not there.
//
//   zcat times_*.jsonl.gz | replay_pairs [DRAWS]         default: 100
//
// A line of the input is [program, order, index, variant, wall time, CPU time, clock]. Runs of one
// program with the order "seq" came one after the other. A new series begins with index 0. Windows
// of 200 runs are taken at every eighth place. Two neighbouring runs are a pair. Which of them is B
// is drawn DRAWS times, and B's time is then multiplied.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare/judge.hpp"
#include "stats/signed_rank.hpp"

namespace {

using namespace tacho;

constexpr std::size_t kPairs = 100;  // of a window
constexpr std::size_t kStep = 8;     // runs between windows
constexpr std::array kMore = {0.0, 0.01, 0.02, 0.05};

struct Plan {
  std::string name;
  std::vector<std::size_t> looks;
};

struct Claims {
  std::size_t all = 0;
  std::size_t more = 0;
  std::size_t less = 0;
};

// 1 if the differences are claimed to be above 0, -1 if below, 0 if not decided.
int claimed(std::span<const double> differences, const Plan& plan) {
  const double level = level_of(plan.looks);
  for (const std::size_t look : plan.looks) {
    const SignedRank found = signed_rank(differences.first(look), level);
    if (found.p <= level) return found.estimate > 0 ? 1 : -1;
  }
  return 0;
}

using Series = std::vector<double>;  // logarithms of times

Claims replayed(const std::vector<Series>& all, const Plan& plan, double more, int draws) {
  std::mt19937_64 random(1);
  Claims claims;
  for (const Series& series : all)
    for (std::size_t begin = 0; begin + 2 * kPairs <= series.size(); begin += kStep)
      for (int draw = 0; draw < draws; ++draw) {
        std::vector<double> differences;
        for (std::size_t i = begin; differences.size() < kPairs; i += 2) {
          const double change = series[i + 1] - series[i];
          differences.push_back((random() % 2 == 0 ? change : -change) + std::log1p(more));
        }
        const int claim = claimed(differences, plan);
        ++claims.all;
        claims.more += claim > 0 ? 1U : 0U;
        claims.less += claim < 0 ? 1U : 0U;
      }
  return claims;
}

struct Times {
  std::vector<Series> wall;
  std::vector<Series> cpu;
};

Times read_times() {
  Times times;
  std::string program;
  for (std::string line; std::getline(std::cin, line);) {
    const auto run = nlohmann::json::parse(line);
    if (run[1] != "seq") continue;
    if (run[2] == 0 || run[0] != program) {
      program = run[0];
      times.wall.emplace_back();
      times.cpu.emplace_back();
    }
    constexpr double kLeast = 1e-4;
    times.wall.back().push_back(std::log(std::max(run[4].get<double>(), kLeast)));
    times.cpu.back().push_back(std::log(std::max(run[5].get<double>(), kLeast)));
  }
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const int draws = argc > 1 ? std::atoi(argv[1]) : 100;
  const Times times = read_times();
  const std::array plans = {Plan{"20 pairs", {20}}, Plan{"40 pairs", {40}},
                            Plan{"looks at 10, 20, 40 and 80 pairs", {10, 20, 40, 80}}};
  fmt::print("| time | plan | more work | claims that it is more | that it is less |\n");
  fmt::print("| --- | --- | --- | --- | --- |\n");
  for (const auto& [name, series] : {std::pair("CPU", &times.cpu), std::pair("wall", &times.wall)})
    for (const Plan& plan : plans)
      for (const double more : kMore) {
        const Claims claims = replayed(*series, plan, more, draws);
        const double percent = 100 / static_cast<double>(claims.all);
        fmt::print("| {} | {} | {:.0f} % | {:.1f} % | {:.1f} % |\n", name, plan.name, 100 * more,
                   percent * static_cast<double>(claims.more),
                   percent * static_cast<double>(claims.less));
      }
}

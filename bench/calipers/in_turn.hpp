// How the programs of this bench measure time: the candidates run in turn, batch by batch, so that
// a drift of the machine's speed affects all of them alike.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

struct Timed {
  std::string name;
  std::function<void(int)> times;  // executes it as many times
};

// Returns the median nanoseconds of one execution of each candidate.
inline std::vector<double> in_turn(const std::vector<Timed>& all, int batches = 201,
                                   int executions = 1000) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::vector<double>> taken(all.size());
  for (int batch = -1; batch < batches; ++batch) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto begun = Clock::now();
      all[i].times(executions);
      const std::chrono::duration<double, std::nano> took = Clock::now() - begun;
      if (batch >= 0) taken[i].push_back(took.count() / executions);  // batch -1 warms up
    }
  }
  std::vector<double> medians;
  for (auto& of_one : taken) {
    const auto middle = of_one.begin() + static_cast<std::ptrdiff_t>(of_one.size() / 2);
    std::nth_element(of_one.begin(), middle, of_one.end());
    medians.push_back(*middle);
  }
  return medians;
}

// Prints a line for each candidate: its name, a tab, and its nanoseconds.
inline void print_in_turn(const std::vector<Timed>& all, int batches = 201, int executions = 1000) {
  const std::vector<double> medians = in_turn(all, batches, executions);
  for (std::size_t i = 0; i < all.size(); ++i)
    std::printf("%s\t%.2f\n", all[i].name.c_str(), medians[i]);
}

// Software events, which every machine has. The programs take the first N of them.
inline const std::vector<std::string>& software_events() {
  static const std::vector<std::string> names = {"page-faults", "context-switches",
                                                 "cpu-migrations", "minor-faults"};
  return names;
}

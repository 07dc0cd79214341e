// Prints the intervals that `tacho stat -r` gives to the mean of repeated runs. So other programs
// can try its formulas on many sequences of runs; bench/repeat_coverage.py does.
//
// Each line of the input is a JSON list of figures of the same runs; each figure is a list with one
// value a run. Each line of the output is a JSON object:
//   intervals  for each figure [mean, low, high, half-width, half-width by Student's formula alone]
//   warned     the indices of the figures that depend on the order of the runs
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "stats/repeats.hpp"
#include "stats/run_order.hpp"
#include "stats/student.hpp"

namespace {

using namespace tacho;

double students_half_width(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return student_t95(n - 1) * std::sqrt(squares / (n - 1) / n);
}

}  // namespace

int main() {
  constexpr double kFalseAlarm = 0.008;  // as in src/estimate/summarise.cpp
  for (std::string line; std::getline(std::cin, line);) {
    const auto figures = nlohmann::json::parse(line).get<std::vector<std::vector<double>>>();
    nlohmann::json intervals;
    for (const std::vector<double>& values : figures) {
      const Repeats repeats = over_repeats(values);
      const auto ends = ends95(repeats);
      intervals.push_back(
          {repeats.mean, ends->low, ends->high, *repeats.half_width, students_half_width(values)});
    }
    fmt::print("{}\n", nlohmann::json{{"intervals", intervals},
                                      {"warned", depend_on_order(figures, kFalseAlarm)}}
                           .dump());
  }
  return 0;
}

#include "compare/strip.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "stats/quantile.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostBars = 40;
constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// Medians of neighbours, kMostBars at most.
std::vector<double> shortened(const std::vector<double>& values) {
  const std::size_t each = (values.size() + kMostBars - 1) / kMostBars;
  std::vector<double> medians;
  for (std::size_t at = 0; at < values.size(); at += each) {
    std::vector<double> some(
        values.begin() + static_cast<std::ptrdiff_t>(at),
        values.begin() + static_cast<std::ptrdiff_t>(std::min(at + each, values.size())));
    medians.push_back(median(some));
  }
  return medians;
}

}  // namespace

std::vector<std::string> strips_of(const std::vector<std::vector<double>>& series) {
  std::vector<double> all;
  for (const auto& each : series) all.insert(all.end(), each.begin(), each.end());
  std::ranges::sort(all);
  const double low = all.front();
  const double high = all[(all.size() - 1) * 95 / 100];
  std::vector<std::string> lines;
  for (const auto& each : series) {
    std::string line;
    for (const double value : shortened(each)) {
      const double part = high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0;
      line += kBars[static_cast<std::size_t>(std::lround(part * (kBars.size() - 1)))];
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tacho

#include "report/histogram_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tacho {
namespace {

constexpr double kWidestBar = 48;  // characters of a bar

}  // namespace

std::string histogram_bars(const Histogram& histogram, std::size_t lines, double unit) {
  if (histogram.empty()) return {};
  const auto shown = [&](std::uint64_t value) {
    return std::llround(static_cast<double>(value) * unit);
  };
  const std::uint64_t last = histogram.quantile(0.99);
  const long long low = shown(histogram.bins().front().value);
  const long long width = std::max(
      1LL, (shown(last) - low) / static_cast<long long>(std::max<std::size_t>(lines, 1)) + 1);
  struct Line {
    long long value;
    std::uint64_t count;
  };
  std::vector<Line> all;
  std::uint64_t beyond = 0;
  for (const Histogram::Bin& bin : histogram.bins()) {
    if (bin.value > last) {
      beyond += bin.count;
      continue;
    }
    const long long at = low + (shown(bin.value) - low) / width * width;
    if (all.empty() || all.back().value != at) all.push_back({at, 0});
    all.back().count += bin.count;
  }
  const std::uint64_t most = std::ranges::max(all, {}, &Line::count).count;
  std::string text;
  for (const Line& line : all) {
    const double part = static_cast<double>(line.count) / static_cast<double>(most);
    text += fmt::format("{:>6} {:>6} {}\n", line.value, line.count,
                        std::string(static_cast<std::size_t>(std::ceil(kWidestBar * part)), '#'));
  }
  if (beyond != 0) text += fmt::format("{:>6} {:>6} more\n", "", beyond);
  return text;
}

}  // namespace tacho

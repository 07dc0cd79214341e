#include "latency/inference/list_latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/number.hpp"
#include "latency/inference/rules.hpp"
#include "stats/modes.hpp"
#include "stats/quantile.hpp"

namespace tacho {
namespace {

constexpr const ListRules& kList = kLatencyRules.list;

struct Timed {
  double ticks = 0;
  double ci95 = 0;
};

double fast_ticks(const LatencySample& sample) {
  return std::max(kList.fast_ticks, kList.fast_steps * sample.step);
}

bool steps_far(const LatencySample& sample) {
  return fast_ticks(sample) > kList.fast_ticks;
}

Location located(const Histogram& timed, const LatencySample& sample) {
  return location_between_steps(timed, sample.step);
}

double half_width(const Location& found) {
  return (found.high - found.low) / 2;
}

Timed one_load(const Location& found, const Bias& bias, unsigned loads) {
  return {(found.value - bias.ticks) / loads, std::hypot(half_width(found), bias.ci95) / loads};
}

std::vector<LatencyMode> modes_of(const LatencySample& sample, double bias) {
  std::vector<LatencyMode> found;
  const auto cycles = [&](double ticks) { return (ticks - bias) * sample.cycles_per_tick; };
  for (const Mode& mode : modes(sample.singles))
    found.push_back(
        {cycles(mode.middle),
         {cycles(static_cast<double>(mode.low)), cycles(static_cast<double>(mode.high))},
         mode.share});
  return found;
}

}  // namespace

Biases find_biases(std::span<const LatencySample> samples, std::vector<std::string>& warnings) {
  Biases biases;
  std::vector<double> in_place;
  for (const LatencySample& sample : samples)
    if (!sample.bias.empty()) in_place.push_back(located(sample.bias, sample).value);
  Bias elsewhere;
  if (!in_place.empty()) {
    elsewhere.ticks = median(in_place);
    elsewhere.ci95 = (in_place.back() - in_place.front()) / 2;
    biases.found = {elsewhere.ticks, in_place.front(), in_place.back()};
  } else if (!samples.empty()) {
    warnings.emplace_back("the cost of reading the clock was not measured: all times include it");
  }
  for (const LatencySample& sample : samples) {
    biases.of_samples.push_back(elsewhere);
    if (sample.bias.empty()) continue;
    const Location here = located(sample.bias, sample);
    biases.of_samples.back() = {here.value, half_width(here)};
  }
  return biases;
}

bool is_mixture(const LatencySample& sample, const SizeLatency& size) {
  const double ticks = size.cycles / sample.cycles_per_tick;
  return steps_far(sample) && ticks > sample.step && ticks < fast_ticks(sample);
}

double to_usual_clock(const SizeLatency& size, double core_hz) {
  return size.from_blocks || size.cycles <= 0 ? 1 : size.ns * 1e-9 * core_hz / size.cycles;
}

std::optional<double> block_cycles(const LatencySample& sample, double bias) {
  if (sample.blocks.empty() || sample.block_loads == 0) return {};
  return one_load(located(sample.blocks, sample), {bias}, sample.block_loads).ticks *
         sample.cycles_per_tick;
}

SizeLatency size_latency(const LatencySample& sample, const Bias& bias, double tick_hz) {
  SizeLatency size;
  size.bytes = sample.bytes;
  size.lines = sample.lines;
  size.page_bytes = sample.page_bytes;
  size.layout = sample.layout;
  size.bias_ticks = bias.ticks;
  size.core_shared = sample.core_shared;

  const bool has_blocks = !sample.blocks.empty() && sample.block_loads > 0;
  Timed load;
  if (!sample.singles.empty()) load = one_load(located(sample.singles, sample), bias, 1);
  if (has_blocks && (sample.singles.empty() || load.ticks < fast_ticks(sample))) {
    const Timed of_block = one_load(located(sample.blocks, sample), bias, sample.block_loads);
    // If the clock steps far, the typical load is the lesser of the two: misses only add to
    // either.
    size.from_blocks = sample.singles.empty() || !steps_far(sample) || load.ticks < sample.step ||
                       of_block.ticks < load.ticks;
    if (size.from_blocks) load = of_block;
  }
  size.samples = size.from_blocks ? sample.blocks.total() : sample.singles.total();
  size.cycles = load.ticks * sample.cycles_per_tick;
  size.ci95 = load.ci95 * sample.cycles_per_tick;
  size.ns = load.ticks / tick_hz * 1e9;
  size.modes = modes_of(sample, bias.ticks);
  const double apart = std::max(kList.levels_apart_cycles,
                                kList.levels_apart_steps * sample.step * sample.cycles_per_tick);
  for (const LatencyMode& mode : size.modes)
    if (std::max(mode.cycles, size.cycles) > 2 * std::min(mode.cycles, size.cycles) &&
        std::fabs(mode.cycles - size.cycles) > apart)
      size.other_levels_share += mode.share;

  if (size.samples == 0) {
    size.disturbed = "no load was timed";
  } else if (sample.disturbed_share > kList.most_disturbed) {
    size.disturbed = sample.disturbance.empty() ? "disturbed" : sample.disturbance;
    if (sample.disturbed_share < 1)
      *size.disturbed += fmt::format(" for {:.0f} % of the time", sample.disturbed_share * 100);
  } else if (load.ticks <= 0) {
    size.disturbed = "loads took no longer than reading the clock: the clock moved";
  }
  return size;
}

std::string remark(const SizeLatency& size) {
  if (size.disturbed) return *size.disturbed;
  if (size.core_shared) return std::string(kCoreShared);
  if (size.other_levels_share < kList.two_levels_share) return {};
  return fmt::format("{:.0f} % of the loads are another level's", 100 * size.other_levels_share);
}

}  // namespace tacho

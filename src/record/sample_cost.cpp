#include "record/sample_cost.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <numeric>
#include <vector>

#include "perfdata/inventory.hpp"
#include "record/describe_recording.hpp"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::duration<double, std::nano>;

constexpr std::chrono::milliseconds kDuration{4};   // of the loop, without other programs
constexpr std::chrono::milliseconds kLongest{100};  // with them
constexpr std::uint64_t kFrequency =
    10'000;                          // Hz: some 40 samples. A kernel that allows less gives no cost
constexpr std::size_t kFewest = 10;  // fewest samples, and fewest gaps, for a median
// The shortest gap that counts as an interrupt. Reading the clock takes tens of nanoseconds, the
// shortest interrupt several hundred.
constexpr Nanoseconds kShortestGap{300};
// The longest gap of a sample: in longer ones, another program ran.
constexpr Nanoseconds kLongestGap{300'000};

// The gaps in a loop that reads the clock, in nanoseconds. A gap in which another program ran adds
// to the time of the loop.
std::vector<double> gaps_in_a_loop() {
  std::array<double, 1024> gaps{};
  std::size_t count = 0;
  const auto begin = Clock::now();
  Clock::duration others{};
  for (auto last = begin; count < gaps.size();) {
    const auto now = Clock::now();
    const Nanoseconds gap = now - last;
    if (gap > kShortestGap) gaps[count++] = gap.count();
    if (gap > kLongestGap) others += now - last;
    last = now;
    if (now - begin > std::min<Clock::duration>(kDuration + others, kLongest)) break;
  }
  return {gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

std::optional<double> sample_cost_ns(Pmu& pmu, std::span<const EventGroup> groups,
                                     SampleSpec spec) {
  spec.period.reset();
  spec.frequency = kFrequency;
  const auto sampler = pmu.sample(groups, Self{}, Start::stopped, spec);
  if (!sampler || !(*sampler)->enable()) return std::nullopt;
  std::vector<double> gaps = gaps_in_a_loop();
  perfdata::Inventory inventory(written_events((*sampler)->events()));
  const auto drained = (*sampler)->drain([&](std::span<const std::byte> records) -> Result<void> {
    inventory.note(records);
    return {};
  });
  const auto counts = inventory.samples();
  const auto samples = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (!drained || samples < kFewest || gaps.size() < kFewest) return std::nullopt;
  // The samples made the longest gaps. Shorter ones are other interrupts.
  std::ranges::sort(gaps, std::ranges::greater());
  const auto made = static_cast<std::size_t>(std::min<std::uint64_t>(samples, gaps.size()));
  return gaps[made / 2];
}

}  // namespace tacho

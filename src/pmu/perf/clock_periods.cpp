#include "pmu/perf/clock_periods.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>

namespace tacho {
namespace {

// Calls `visit` with each sample. Stops at a record whose size is impossible.
template <class Byte, class Visit>
void for_each_sample(std::span<Byte> records, const Visit& visit) {
  perf_event_header header{};
  while (records.size() >= sizeof header) {
    std::memcpy(&header, records.data(), sizeof header);
    if (header.size < sizeof header || header.size > records.size()) return;
    if (header.type == PERF_RECORD_SAMPLE) visit(records.first(header.size));
    records = records.subspan(header.size);
  }
}

std::uint64_t value_at(std::span<const std::byte> sample, std::size_t place) {
  std::uint64_t value = 0;
  std::memcpy(&value, sample.data() + place, sizeof value);
  return value;
}

}  // namespace

std::uint64_t count_samples(std::span<const std::byte> records) {
  std::uint64_t samples = 0;
  for_each_sample(records, [&samples](std::span<const std::byte>) { ++samples; });
  return samples;
}

void correct_clock_periods(std::span<std::byte> records, const SamplePlaces& places,
                           const std::vector<std::uint64_t>& clocks, std::uint64_t opened_with,
                           std::uint64_t now) {
  const std::size_t end = std::max(places.id, places.period) + sizeof now;
  for_each_sample(records, [&](std::span<std::byte> sample) {
    if (sample.size() < end || value_at(sample, places.period) != opened_with) return;
    if (places.id == 0 || std::ranges::find(clocks, value_at(sample, places.id)) != clocks.end())
      std::memcpy(sample.data() + places.period, &now, sizeof now);
  });
}

}  // namespace tacho

#include "latency/chase/slices.hpp"

#include <algorithm>
#include <array>

#include "latency/chase/disturbance.hpp"
#include "latency/inference/rules.hpp"

namespace tacho::chase {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const SampleRules& kSlices = kLatencyRules.sample;
constexpr std::size_t kSlice = kSlices.slice;

// A high quantile of a slice's empty pairs: it shows a thread that shared the core for a fifth of
// it.
std::uint32_t usual_empty(std::span<const Timed> samples) {
  constexpr auto kUsual = static_cast<std::size_t>(kSlices.shared_quantile * kSlice);
  std::array<std::uint32_t, kSlice> values{};
  std::ranges::transform(samples, values.begin(), &Timed::empty);
  std::ranges::nth_element(values, values.begin() + kUsual);
  return values[kUsual];
}

}  // namespace

bool SharedCore::detected(std::uint32_t empty, double cycles_per_tick) {
  const double cycles = empty * cycles_per_tick;
  if (least_ == 0 || cycles < least_) least_ = cycles;
  return cycles >
         least_ + std::max(kSlices.shared_more * least_, kSlices.shared_steps * cycles_per_tick);
}

Link* Slices::collect(const Take& take, Link* at, Route& route, SharedCore& shared_core,
                      Clock::time_point deadline, const Stop& stop) {
  bool fresh = true;
  std::uint64_t switches = involuntary_switches();
  for (std::size_t taken = 0; taken < wanted_ && !stop() && Clock::now() < deadline;) {
    Slice slice{.samples = std::vector<Timed>(kSlice)};
    // This loop itself needs a little of the first level, which matters for small lists.
    at = fresh ? route.recall(at) : route.refresh(at);
    const auto begin = Clock::now();
    at = take(at, slice.samples);
    slice.ns = static_cast<std::uint64_t>((Clock::now() - begin).count());
    const std::uint64_t now = involuntary_switches();
    if (now != switches)
      slice.disturbance = SliceDisturbance::switched;
    else if (shared_core.detected(usual_empty(slice.samples), cycles_per_tick_))
      slice.disturbance = SliceDisturbance::shared;
    switches = now;
    fresh = slice.disturbance == SliceDisturbance::none;
    if (fresh) taken += kSlice;
    slices_.push_back(std::move(slice));
  }
  return at;
}

// Slices that took far longer than most were interrupted, whatever the cause.
void Slices::find_slow() {
  std::vector<std::uint64_t> times;
  for (const Slice& slice : slices_)
    if (slice.disturbance != SliceDisturbance::switched) times.push_back(slice.ns);
  if (times.empty()) return;
  const auto quarter = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::ranges::nth_element(times, quarter);
  for (Slice& slice : slices_)
    if (slice.disturbance != SliceDisturbance::switched && slice.ns > *quarter + kSlices.slow_ns &&
        static_cast<double>(slice.ns) > kSlices.slow_factor * static_cast<double>(*quarter))
      slice.disturbance = SliceDisturbance::slow;
}

Slices::Kept Slices::add_to(Histogram& loaded, Histogram& empty) {
  if (slices_.empty()) return {1, false};
  find_slow();
  // The least severe disturbances that leave enough slices.
  SliceDisturbance worst = SliceDisturbance::none;
  const auto count_of = [&](auto wanted) {
    return static_cast<double>(std::ranges::count_if(slices_, wanted));
  };
  const auto is_kept = [&](const Slice& slice) { return slice.disturbance <= worst; };
  for (const SliceDisturbance next : {SliceDisturbance::shared, SliceDisturbance::switched})
    if (count_of(is_kept) * kSlice < kSlices.enough * static_cast<double>(wanted_)) worst = next;
  for (const Slice& slice : slices_) {
    if (!is_kept(slice)) continue;
    for (const Timed& sample : slice.samples) {
      loaded.add(sample.loaded);
      empty.add(sample.empty);
    }
  }
  const double disturbed = count_of([&](const Slice& slice) {
    return is_kept(slice) && slice.disturbance >= SliceDisturbance::slow;
  });
  const double shared = count_of([&](const Slice& slice) {
    return is_kept(slice) && slice.disturbance == SliceDisturbance::shared;
  });
  return {disturbed / std::max(count_of(is_kept), 1.0), shared > 0};
}

}  // namespace tacho::chase

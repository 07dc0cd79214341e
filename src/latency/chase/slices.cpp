#include "latency/chase/slices.hpp"

#include <algorithm>
#include <array>

#include "latency/chase/disturbance.hpp"

namespace tacho::chase {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kSlice = 64;          // samples
constexpr double kEnough = 0.25;            // of the samples that were wanted
constexpr double kFarBehind = 1.5;          // slices of so many times the usual time were disturbed
constexpr std::uint64_t kInterrupt = 4000;  // ns: shorter delays are the memory's own
constexpr double kMore = 0.15;              // of the least: more is a neighbour's doing
constexpr double kSteps = 1.5;              // of the clock: less says nothing

// Seldom more, of a slice's: a neighbour that was there for a fifth of it shows.
std::uint32_t usual_empty(std::span<const Timed> samples) {
  constexpr std::size_t kUsual = kSlice * 4 / 5;
  std::array<std::uint32_t, kSlice> values{};
  std::ranges::transform(samples, values.begin(), &Timed::empty);
  std::ranges::nth_element(values, values.begin() + kUsual);
  return values[kUsual];
}

}  // namespace

bool Company::met(std::uint32_t empty, double cycles_per_tick) {
  const double cycles = empty * cycles_per_tick;
  if (least_ == 0 || cycles < least_) least_ = cycles;
  return cycles > least_ + std::max(kMore * least_, kSteps * cycles_per_tick);
}

Link* Slices::collect(const Take& take, Link* at, Route& route, Company& company,
                      Clock::time_point deadline, const Stop& stop) {
  bool fresh = true;
  std::uint64_t switches = involuntary_switches();
  for (std::size_t taken = 0; taken < wanted_ && !stop() && Clock::now() < deadline;) {
    Slice slice{std::vector<Timed>(kSlice), 0, Spoilt::no};
    // What this loop itself needs of the first level is little, but counts for small lists.
    at = fresh ? route.recall(at) : route.refresh(at);
    const auto begin = Clock::now();
    at = take(at, slice.samples);
    slice.ns = static_cast<std::uint64_t>((Clock::now() - begin).count());
    const std::uint64_t now = involuntary_switches();
    if (now != switches)
      slice.spoilt = Spoilt::switched;
    else if (company.met(usual_empty(slice.samples), cycles_per_tick_))
      slice.spoilt = Spoilt::shared;
    switches = now;
    fresh = slice.spoilt == Spoilt::no;
    if (fresh) taken += kSlice;
    slices_.push_back(std::move(slice));
  }
  return at;
}

// What took far longer than most was interrupted, by whom ever.
void Slices::find_slow() {
  std::vector<std::uint64_t> times;
  for (const Slice& slice : slices_)
    if (slice.spoilt != Spoilt::switched) times.push_back(slice.ns);
  if (times.empty()) return;
  const auto quarter = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::ranges::nth_element(times, quarter);
  for (Slice& slice : slices_)
    if (slice.spoilt != Spoilt::switched && slice.ns > *quarter + kInterrupt &&
        static_cast<double>(slice.ns) > kFarBehind * static_cast<double>(*quarter))
      slice.spoilt = Spoilt::slow;
}

Slices::Kept Slices::put(Histogram& loaded, Histogram& empty) {
  if (slices_.empty()) return {1, false};
  find_slow();
  // The fewest kinds of disturbance that leave enough.
  Spoilt worst = Spoilt::no;
  const auto so_many = [&](auto wanted) {
    return static_cast<double>(std::ranges::count_if(slices_, wanted));
  };
  const auto is_kept = [&](const Slice& slice) { return slice.spoilt <= worst; };
  for (const Spoilt next : {Spoilt::shared, Spoilt::switched})
    if (so_many(is_kept) * kSlice < kEnough * static_cast<double>(wanted_)) worst = next;
  for (const Slice& slice : slices_) {
    if (!is_kept(slice)) continue;
    for (const Timed& sample : slice.samples) {
      loaded.add(sample.loaded);
      empty.add(sample.empty);
    }
  }
  const double disturbed =
      so_many([&](const Slice& slice) { return is_kept(slice) && slice.spoilt >= Spoilt::slow; });
  const double shared =
      so_many([&](const Slice& slice) { return is_kept(slice) && slice.spoilt == Spoilt::shared; });
  return {disturbed / std::max(so_many(is_kept), 1.0), shared > 0};
}

}  // namespace tacho::chase

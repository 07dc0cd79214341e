#include "record/sample_limits.hpp"

#include <ranges>

namespace tacho {
namespace {

constexpr std::chrono::milliseconds kWindow{1};

// Keeps the first error. One event that can't be paused does not keep the others from it.
void keep(Result<void>& first, const Result<void>& next) {
  if (first && !next) first = next;
}

}  // namespace

SampleLimits::SampleLimits(std::span<const EventGroup> groups, Sampler& sampler)
    : sampler_(sampler) {
  for (std::size_t i = 0; const Event& event : groups | std::views::join) {
    if (event.sampling.most_in_tick > 0)
      limited_.push_back({.event = i,
                          .most = event.sampling.most_in_tick,
                          .has_window = !event.sampling.without_chain});
    ++i;
  }
}

Result<void> SampleLimits::pause_if_too_many(const perfdata::Inventory& inventory) {
  Result<void> done;
  for (Limited& each : limited_) {
    if (each.paused || inventory.samples()[each.event] - each.before <= each.most) continue;
    have_paused_ = each.paused = true;
    keep(done, sampler_.pause(each.event, true));
  }
  return done;
}

Result<void> SampleLimits::begin_tick(const perfdata::Inventory& inventory, Clock::duration tick,
                                      std::mt19937_64& random) {
  const std::uint64_t switches = (inventory.switches() - switches_before_) / 2;  // out and in
  switches_before_ = inventory.switches();
  bool any_paused = false;
  Result<void> done;
  for (Limited& each : limited_) {
    each.before = inventory.samples()[each.event];
    if (each.paused && switches < each.most / 2) {
      each.paused = false;
      keep(done, sampler_.pause(each.event, false));
    }
    any_paused = any_paused || each.paused;
  }
  if (any_paused)
    opens_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::uniform_real_distribution<>()(random) * (tick - 2 * kWindow));
  return done;
}

Result<void> SampleLimits::turn_window() {
  const auto now = Clock::now();
  Result<void> done;
  if (now >= closes_) {
    closes_ = Clock::time_point::max();
    keep(done, pause_in_window(true));
  }
  if (now >= opens_) {
    opens_ = Clock::time_point::max();
    closes_ = now + kWindow;
    keep(done, pause_in_window(false));
  }
  return done;
}

Result<void> SampleLimits::pause_in_window(bool paused) {
  Result<void> done;
  for (const Limited& each : limited_)
    if (each.paused && each.has_window) keep(done, sampler_.pause(each.event, paused));
  return done;
}

}  // namespace tacho

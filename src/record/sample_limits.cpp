#include "record/sample_limits.hpp"

#include <ranges>

namespace tacho {
namespace {

constexpr std::chrono::milliseconds kWindow{1};

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
  for (Limited& each : limited_) {
    if (each.paused || inventory.samples()[each.event] - each.before <= each.most) continue;
    have_paused_ = each.paused = true;
    TACHO_TRY(sampler_.pause(each.event, true));
  }
  return {};
}

Result<void> SampleLimits::begin_tick(const perfdata::Inventory& inventory, Clock::duration tick,
                                      std::mt19937_64& random) {
  const std::uint64_t switches = (inventory.switches() - switches_before_) / 2;  // out and in
  switches_before_ = inventory.switches();
  bool any_paused = false;
  for (Limited& each : limited_) {
    each.before = inventory.samples()[each.event];
    if (each.paused && switches < each.most / 2) {
      each.paused = false;
      TACHO_TRY(sampler_.pause(each.event, false));
    }
    any_paused = any_paused || each.paused;
  }
  if (any_paused)
    opens_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::uniform_real_distribution<>()(random) * (tick - 2 * kWindow));
  return {};
}

Result<void> SampleLimits::turn_window() {
  const auto now = Clock::now();
  if (now >= closes_) {
    closes_ = Clock::time_point::max();
    TACHO_TRY(pause_in_window(true));
  }
  if (now >= opens_) {
    opens_ = Clock::time_point::max();
    closes_ = now + kWindow;
    TACHO_TRY(pause_in_window(false));
  }
  return {};
}

Result<void> SampleLimits::pause_in_window(bool paused) {
  for (const Limited& each : limited_)
    if (each.paused && each.has_window) TACHO_TRY(sampler_.pause(each.event, paused));
  return {};
}

}  // namespace tacho

#include "caliper/region_switch.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tacho/tacho.h"

// The hot path of every program reads it, in C as in C++.
constinit std::uint32_t tacho_regions_state = 0;

namespace tacho {
namespace {

constinit std::atomic<std::int64_t> began_ns{0};
// The ends minus the begins of the times during which regions were on.
constinit std::atomic<std::int64_t> on_ns{0};
constinit std::atomic<bool> from_start{false};

std::int64_t now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

// Returns false if regions are so already.
bool turn(bool on) noexcept {
  std::uint32_t state = detail::regions_state();
  std::uint32_t turned = 0;
  do {
    if (((state & detail::kOn) != 0) == on) return false;
    turned = ((state + 0x1'0000) ^ detail::kOn) | detail::kWasOn;
  } while (!__atomic_compare_exchange_n(&tacho_regions_state, &state, turned, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return true;
}

bool environment_asks() {
  constexpr std::array kVariables = {"TACHO_REGIONS", "TACHO_REGIONS_EVENTS", "TACHO_REGIONS_FD",
                                     "TACHO_IN_REGION"};
  return std::ranges::any_of(kVariables, [](const char* name) {
    const char* const value = ::secure_getenv(name);
    return value != nullptr && *value != '\0';
  });
}

// Before the program's static objects are constructed, whose regions are measured.
[[gnu::constructor(101)]] void obey_environment() {
  began_ns = now_ns();
  if (!environment_asks()) return;
  from_start = true;
  v0::regions_on();
  on_ns = -began_ns;
}

}  // namespace

void v0::regions_on() noexcept {
  if (turn(true)) on_ns -= now_ns();
}

void v0::regions_off() noexcept {
  if (!turn(false)) return;
  from_start = false;
  on_ns += now_ns();
}

bool v0::regions_are_on() noexcept {
  return (detail::regions_state() & detail::kOn) != 0;
}

std::uint32_t caliper::take_requests() noexcept {
  return __atomic_fetch_and(&tacho_regions_state, ~detail::kRequests, __ATOMIC_ACQ_REL) &
         detail::kRequests;
}

bool caliper::always_on() noexcept {
  return from_start;
}

caliper::OnTime caliper::on_time() noexcept {
  const std::int64_t now = now_ns();
  const std::int64_t on = on_ns + (regions_are_on() ? now : 0);
  constexpr double kSeconds = 1e-9;
  return {.on_s = kSeconds * static_cast<double>(on),
          .of_s = kSeconds * static_cast<double>(now - began_ns)};
}

void caliper::restart_on_time() noexcept {
  began_ns = now_ns();
  on_ns = regions_are_on() ? -began_ns : 0;
}

}  // namespace tacho

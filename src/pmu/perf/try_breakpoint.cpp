#include "pmu/perf/try_breakpoint.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "events/abi.hpp"
#include "pmu/perf/perf_group.hpp"

namespace tacho {
namespace {

constexpr std::uint32_t kTriedAccesses = 16;

volatile std::uint64_t watched_word;

[[gnu::noinline]] void touch_watched_word() {
  watched_word = watched_word + 1;
}

// Reads and writes `watched_word`, and executes touch_watched_word().
void run_known_accesses_of_word() {
  for (std::uint32_t i = 0; i < kTriedAccesses; ++i) touch_watched_word();
}

}  // namespace

std::optional<std::string> doubt_of_breakpoint(const Event& event) {
  if (event.type != abi::kBreakpoint) return {};
  const bool executes = event.access == abi::kBreakpointExecutes;
  Event own = event;
  own.config1 = executes ? reinterpret_cast<std::uintptr_t>(&touch_watched_word)
                         : reinterpret_cast<std::uintptr_t>(&watched_word);
  own.exclude_user = false;
  own.exclude_kernel = own.exclude_hv = true;
  const auto group = open_perf_group({&own, 1}, Self{}, Start::stopped);
  if (!group || !(*group)->enable()) return {};
  run_known_accesses_of_word();
  Reading reading;
  if (!(*group)->disable() || !(*group)->read({&reading, 1}) || reading.value > 0) return {};
  return fmt::format("a breakpoint on tacho's own memory did not see {} {}", kTriedAccesses,
                     executes ? "calls" : "accesses");
}

}  // namespace tacho

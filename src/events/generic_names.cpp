// The table of generic names (perf_event_open(2), PERF_COUNT_HW_* and PERF_COUNT_SW_*).
#include "events/generic_names.hpp"

#include <array>

#include "events/abi.hpp"
#include "events/spelling.hpp"

namespace tacho {
namespace {

using abi::kHardware;
using abi::kSoftware;

constexpr auto kNames = std::to_array<GenericName>({
    {"cycles", "cpu-cycles", kHardware, 0, "cycles of the core; they vary with its clock rate"},
    {"instructions", "", kHardware, 1, "instructions retired"},
    {"cache-references", "", kHardware, 2, "accesses to the last-level cache on most machines"},
    {"cache-misses", "", kHardware, 3, "misses of the last-level cache on most machines"},
    {"branches", "branch-instructions", kHardware, 4, "branch instructions retired"},
    {"branch-misses", "", kHardware, 5, "branch instructions mispredicted"},
    {"bus-cycles", "", kHardware, 6, "cycles of the bus, at a constant rate on most machines"},
    {"stalled-cycles-frontend", "idle-cycles-frontend", kHardware, 7,
     "cycles in which no instruction could be fetched or decoded"},
    {"stalled-cycles-backend", "idle-cycles-backend", kHardware, 8,
     "cycles in which no instruction could be executed or retired"},
    {"ref-cycles", "", kHardware, 9, "cycles at the reference clock rate, whatever the core's"},
    {"cpu-clock", "", kSoftware, abi::kCpuClock, "time on a CPU, by its high-resolution clock"},
    {"task-clock", "", kSoftware, abi::kTaskClock, "time that the task ran"},
    {"page-faults", "faults", kSoftware, 2, "page faults, minor and major"},
    {"context-switches", "cs", kSoftware, abi::kContextSwitches, "switches to another task"},
    {"cpu-migrations", "migrations", kSoftware, abi::kCpuMigrations, "moves to another CPU"},
    {"minor-faults", "", kSoftware, 5, "page faults served without reading a disk"},
    {"major-faults", "", kSoftware, 6, "page faults that had to read a disk"},
    {"alignment-faults", "", kSoftware, 7, "unaligned accesses mended by the kernel"},
    {"emulation-faults", "", kSoftware, 8, "instructions emulated by the kernel"},
    {"dummy", "", kSoftware, 9, "counts nothing"},
    {"bpf-output", "", kSoftware, 10, "output of BPF programs; counts only what they write"},
    {"cgroup-switches", "", kSoftware, abi::kCgroupSwitches,
     "switches to a task of another control group"},
});

}  // namespace

std::span<const GenericName> generic_names() {
  return kNames;
}

std::optional<Event> generic_event(std::string_view name) {
  for (const GenericName& row : kNames) {
    if (!same_letters(name, row.name) && (row.alias.empty() || !same_letters(name, row.alias)))
      continue;
    Event event;
    event.type = row.type;
    event.config = row.config;
    event.domain = row.type == kHardware ? Domain::core : Domain::software;
    describe_software(event);
    return event;
  }
  return std::nullopt;
}

void describe_software(Event& event) {
  if (event.type == kSoftware || event.type == abi::kTracepoint || event.type == abi::kBreakpoint)
    event.domain = Domain::software;
  if (event.type != kSoftware) return;
  if (event.config == abi::kCpuClock || event.config == abi::kTaskClock) event.unit = "ns";
  event.counts_in_kernel = event.config == abi::kContextSwitches ||
                           event.config == abi::kCpuMigrations ||
                           event.config == abi::kCgroupSwitches;
}

}  // namespace tacho

// The room events translates the names of events (perf's spellings, sysfs aliases, tracepoints,
// libpfm4's names) to the encodings that a PMU needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tacho {

// The resource that counting the event takes.
enum class Domain {
  core,      // a counter of the processor core's PMU: scarce, so event sets take turns
  software,  // counted by the kernel in software (also tracepoints, breakpoints, probes): never
             // scarce
  other,     // a PMU outside the core (uncore, power, msr): counts beside the others
};

// How to sample one event, where its name says more than the command's options. Counting ignores
// it.
struct SamplingTerms {
  std::optional<std::uint64_t> period;     // events between two samples
  std::optional<std::uint64_t> frequency;  // Hz
  bool tells_switches = false;  // each switch of a thread, out and in, has a record with its time
  bool without_chain = false;   // its samples have no call chain
  // If there are more samples in a tick of the recorder, it pauses them; 0: it never does.
  std::uint64_t most_in_tick = 0;
  bool by_leader = false;  // :S: only the group's leader takes samples; they have all its counts
  // It is sampled on every CPU if the user may do that, and not only in the target's threads
  // (SampleSpec::kept_everywhere).
  bool everywhere = false;
  bool operator==(const SamplingTerms&) const = default;
};

// One event, encoded for perf_event_open(2): `type` and `config*` are fields of perf_event_attr,
// whose values are kernel ABI. A plain value; safe to copy between threads.
struct Event {
  std::string name;  // as the user wrote it, with its modifiers
  Domain domain = Domain::software;
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  std::uint64_t config3 = 0;
  std::uint32_t access = 0;  // a breakpoint's bp_type
  // Modifiers: which privilege levels not to count, and how precisely to sample.
  bool exclude_user = false;
  bool exclude_kernel = false;
  bool exclude_hv = false;
  bool exclude_idle = false;
  bool exclude_host = false;
  bool exclude_guest = false;
  bool names_guests = false;      // the user named guests or the host (:G, :H)
  std::uint8_t precise = 0;       // 0 to 3: the number of p's
  bool lower_precise = false;     // :P: the highest level that works, not more than `precise`
  bool pinned = false;            // :D
  bool exclusive = false;         // :e: no other group may use the PMU at the same time
  bool weak = false;              // :W: its group may be divided if it does not fit
  bool any_level = true;          // the user named no privilege level: kernel mode may be left out
  bool narrowed = false;          // kernel mode is left out, because counting it is not permitted
  bool counts_in_kernel = false;  // happens in kernel mode only, like context-switches
  std::string unit;               // "ns" for the clocks; sysfs `.unit`; empty for plain counts
  double scale = 1.0;             // sysfs `.scale`: the value of one count in `unit`
  std::string tracepoint;  // of a tracepoint: its folder in tracefs, which describes it further
  // The only CPUs that the PMU counts on; empty: all CPUs. Of a PMU outside the core (sysfs
  // `cpumask`): one CPU for all those that share it. Of a core PMU (sysfs `cpus`): only where
  // core_pmu is not empty.
  std::string cpus;
  // On a machine with unequal cores: the PMU of the only kind of core that counts the event. Empty
  // where all cores are alike, and for a generic event that names no PMU.
  std::string core_pmu;
  // The name that the user wrote, if the event is one core PMU's part of it: "cycles" for
  // `cpu_core/cycles/`. Else empty.
  std::string part_of;
  SamplingTerms sampling;

  bool operator==(const Event&) const = default;
};

// Events that are to be counted at the same time: `{a,b}` or a single event.
using EventGroup = std::vector<Event>;

}  // namespace tacho

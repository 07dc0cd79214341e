// events: what a user may ask to have counted, and what it means to a PMU. Names go in (perf's
// spellings, sysfs aliases, tracepoints, libpfm4's names), encodings come out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacho {

// Who has to spend something to count the event.
enum class Domain {
  core,      // a counter of the processor core's PMU: scarce, so event sets take turns
  software,  // counted by the kernel in software (also tracepoints, breakpoints, probes): never
             // scarce
  other,     // a PMU outside the core (uncore, power, msr): counts beside the others
};

// One event, encoded as perf_event_open(2) wants it (`type`, `config*`: the fields of
// perf_event_attr, whose values are kernel ABI). A plain value; safe to copy between threads.
struct Event {
  std::string name;  // as the user wrote it, modifiers included
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
  std::uint8_t precise = 0;  // 0 to 3: the number of p's
  bool pinned = false;       // :D
  bool any_level = true;     // none was named, so that kernel mode may be left out if forbidden
  bool narrowed = false;     // kernel mode was left out because it may not be counted
  bool counts_in_kernel = false;  // it happens there only (context-switches): none in user mode
  std::string unit;               // "ns" for the clocks; sysfs `.unit`; empty for plain counts
  double scale = 1.0;             // sysfs `.scale`: what one count is worth in `unit`
  std::string cpus;  // sysfs `cpumask` of a PMU that counts on these CPUs only, else empty
};

// Events that the user wants counted at the same time: `{a,b}` or a lone event.
using EventGroup = std::vector<Event>;

}  // namespace tacho

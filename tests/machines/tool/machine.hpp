// The table of one made-up machine: its PMUs, and what its kernel refuses.
// tests/machines/tables/*.toml are the tables; CONTRIBUTING.md describes their keys.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace made_up {

// An event by perf's type and config: PERF_TYPE_HARDWARE or PERF_TYPE_HW_CACHE.
struct Generic {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  bool operator==(const Generic&) const = default;
};

// A file of sysfs or procfs, and its text without the last newline.
struct MadeUpFile {
  std::string path;
  std::string text;
};

struct MadeUpPmu {
  std::string name;
  std::uint32_t type = 0;
  bool core = false;
  std::vector<int> cpus;            // the CPUs on which it counts
  unsigned counters = 0;            // generic counters; a larger group gets EINVAL
  unsigned taken = 0;               // generic counters that others hold, such as the NMI watchdog
  std::vector<Generic> fixed;       // events with a counter of their own, each one counter
  std::vector<Generic> events;      // the generic events that it has
  std::vector<std::uint64_t> free;  // configs of its own type that need no counter
  std::vector<Generic> impossible;  // events that give EINVAL; others that it lacks give ENOENT
  std::vector<MadeUpFile> sysfs;    // below its directory
};

// One condition of a rule: a field of the call against numbers.
struct Condition {
  enum class Test { one_of, none_of, above, below, has_bits };
  std::string field;
  Test test = Test::one_of;
  std::vector<std::uint64_t> numbers;
};

// What the kernel refuses. All conditions have to hold.
struct Rule {
  std::vector<std::string> pmus;  // empty: before a PMU is chosen
  std::vector<Condition> when;
  std::vector<Condition> leader;  // conditions on the group's leader, the event itself if it leads
  int code = 0;
  std::string because;
};

struct Machine {
  int cpus = 1;
  bool extended_type = false;    // the upper half of a generic event's config names a PMU
  unsigned attribute_bytes = 0;  // struct perf_event_attr of its kernel
  unsigned flag_bits = 0;        // known flags of the attributes, precise_ip being two
  unsigned sample_types = 0;     // known bits of sample_type
  std::uint64_t max_sample_rate = UINT64_MAX;  // its perf_event_max_sample_rate, if `files` has one
  std::vector<MadeUpPmu> pmus;                 // in the order in which the kernel tries them
  std::vector<Rule> rules;                     // the first that holds answers
  std::vector<MadeUpFile> files;               // of procfs and sysfs
};

tacho::Result<Machine> read_machine(const std::string& path);

// The events for which a clock can stand: the trust of tacho in a counter believes them.
bool is_clock(const Generic& event);

}  // namespace made_up

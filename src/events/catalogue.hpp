// The names of events: resolves them to encodings and lists what this machine has.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// Where the kernel describes its PMUs and tracepoints. Tests point them at made-up trees.
struct CatalogueRoots {
  std::string sysfs = "/sys/bus/event_source/devices";
  std::vector<std::string> tracefs = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
};

struct EventDescription {
  std::string name;
  std::string source;  // "hardware", "cache", "software", "sysfs cpu", "tracepoint", "libpfm4 skl"
  std::string description;  // one line
};

// Knows every event name. Construction is cheap; files are read and libpfm4 is started only when a
// name needs them. Thread-safe after construction, but for the first use of libpfm4.
class Catalogue {
 public:
  explicit Catalogue(CatalogueRoots roots = {});

  // One event: `cycles`, `L1-dcache-load-misses:u`, `cpu/event=0x3c,umask=1/k`, `r01c2`,
  // `sched:sched_switch`, `skl::INST_RETIRED:ANY_P`. An unknown name's error gives the nearest
  // ones.
  Result<Event> resolve(std::string_view spec) const;

  // What has a name containing `pattern` (or matching it, when it has * or ?), case-insensitively.
  std::vector<EventDescription> list(std::string_view pattern) const;

 private:
  CatalogueRoots roots_;
};

// Splits `a,b,{c,d}:u,cpu/event=1,umask=2/` at the commas that separate events. Each element is one
// group of event specs; modifiers behind a brace are given to each member.
Result<std::vector<std::vector<std::string>>> split_events(std::string_view list);

}  // namespace tacho

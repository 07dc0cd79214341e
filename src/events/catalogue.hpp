// Resolves the names of events to encodings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// The directories where the kernel describes its PMUs and tracepoints. Tests use made-up ones.
struct CatalogueRoots {
  std::string sysfs = "/sys/bus/event_source/devices";
  std::vector<std::string> tracefs = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
};

// Knows every event name. Construction is cheap: files are read and libpfm4 is started only when a
// name needs them. Thread-safe after construction, except for the first use of libpfm4.
class Catalogue {
 public:
  explicit Catalogue(CatalogueRoots roots = {});

  // One event: `cycles`, `L1-dcache-load-misses:u`, `cpu/event=0x3c,umask=1/k`, `r01c2`,
  // `sched:sched_switch`, `skl::INST_RETIRED:ANY_P`. The error for an unknown name
  // gives the nearest names.
  Result<Event> resolve(std::string_view spec) const;

  // The names that a pattern of tracepoints stands for, as `sched:*` or `s*:*switch:u`. Any other
  // name, and a pattern that matches nothing, stands for itself.
  std::vector<std::string> expand(std::string_view spec) const;

  const CatalogueRoots& roots() const { return roots_; }

 private:
  CatalogueRoots roots_;
};

}  // namespace tacho

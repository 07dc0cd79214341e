// PMUs as sysfs describes them: one directory each, with its type, the format of its config words
// and the events that the kernel has names for
// (Documentation/ABI/testing/sysfs-bus-event_source-*).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// Reads the PMUs under one directory, /sys/bus/event_source/devices. Holds its name only; every
// call reads anew. Thread-safe.
class SysfsPmus {
 public:
  explicit SysfsPmus(std::string root) : root_(std::move(root)) {}

  // The PMUs' names, sorted; none when the directory can't be read.
  std::vector<std::string> names() const;

  // `pmu/terms/`: terms are the names of the PMU's format (`event=0x3c`; without a value: 1),
  // `config`, `config1` to `config3`, `rHEX`, the names of its events, generic hardware and cache
  // names where the PMU is a core's, and `name=TEXT`. Bits of several terms add up, as in perf.
  // `pmu` may leave out `uncore_` and be a pattern, if one PMU alone matches.
  Result<Event> event(std::string_view pmu, std::string_view terms, std::string_view spec) const;

  // The event that sysfs has under a bare name (`tsc`); nothing when no PMU has it, an error when
  // several have.
  Result<std::optional<Event>> bare_event(std::string_view name, std::string_view spec) const;

  struct Alias {
    std::string pmu;
    std::string name;
    std::string terms;  // as in sysfs: "event=0x3c,umask=0x01"
    std::string unit;   // "Joules", or empty
  };
  std::vector<Alias> aliases() const;

  // The CPUs on which a PMU of this type counts, when it does not count on every one.
  std::string cpus_of_type(std::uint32_t type) const;

 private:
  std::string root_;
};

// Whether a PMU, by the name of its directory, is a processor core's.
bool is_core_pmu(const std::string& directory);

// Names the entries of a directory that do not start with a dot, sorted; none when it can't be
// read.
std::vector<std::string> directory_names(const std::string& path);

}  // namespace tacho

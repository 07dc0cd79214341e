// Reads PMUs from sysfs: each has a directory with its type, the format of its config words and the
// events that the kernel names (Documentation/ABI/testing/sysfs-bus-event_source-*).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

struct CorePmu {
  std::string name;
  std::uint32_t type = 0;  // perf_event_attr.type
  std::string cpus;        // "0-7,16"; empty if the kernel does not say: every CPU
};

// The PMUs in one directory, /sys/bus/event_source/devices. Each call reads the files again.
// Thread-safe.
class SysfsPmus {
 public:
  explicit SysfsPmus(std::string root) : root_(std::move(root)) {}

  // The PMUs' names, sorted; empty if the directory can't be read.
  std::vector<std::string> names() const;

  // The event `pmu/terms/`. Terms are:
  // - names of the PMU's format (`event=0x3c`; 1 if there is no value);
  // - `config`, `config1` to `config3`, `rHEX` and `name=TEXT`;
  // - names of the PMU's events;
  // - generic hardware and cache names, if the PMU is a core's.
  // The bits of several terms are combined, as in perf. `pmu` can be a pattern and can leave out
  // `uncore_`, if only one PMU matches.
  Result<Event> event(std::string_view pmu, std::string_view terms, std::string_view spec) const;

  // The event of a name without a PMU (`tsc`): nothing if no PMU has it, an error if several have.
  Result<std::optional<Event>> bare_event(std::string_view name, std::string_view spec) const;

  struct Alias {
    std::string pmu;
    std::string name;
    std::string terms;  // as in sysfs: "event=0x3c,umask=0x01"
    std::string unit;   // "Joules", or empty
  };
  std::vector<Alias> aliases() const;

  // The CPUs on which the PMU of this type counts; empty if it counts on every CPU.
  std::string cpus_of_type(std::uint32_t type) const;

  // The PMUs of the processor's cores, sorted by name, but Intel's performance cores first. Most
  // machines have one. Machines with unequal cores (Intel hybrid, big.LITTLE, DynamIQ) have one for
  // each kind of core. A PMU of which all CPUs are offline is left out.
  std::vector<CorePmu> cores() const;

 private:
  std::string root_;
};

// Whether the PMU in this directory is a processor core's.
bool is_core_pmu(const std::string& directory);

// The entries of a directory that do not start with a dot, sorted; empty if it can't be read.
std::vector<std::string> directory_names(const std::string& path);

}  // namespace tacho

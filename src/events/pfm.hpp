// libpfm4's event names: the vendors' events of each processor (`skl::INST_RETIRED:ANY_P`).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// Why no vendor's name is known here, for people; empty where libpfm4 is built in. Without it no
// name is found below, and none is listed.
std::string_view pfm_absence();

// The library is started by the first call of any of these (a fraction of a millisecond). They take
// turns behind one lock.

// The encoding; nothing when libpfm4 has no event of that name, an error when it has the event and
// something behind it is wrong, or the PMU named is not this machine's. The domain is that of the
// PMU; `cpus` is left empty.
Result<std::optional<Event>> pfm_event(std::string_view spec);

struct PfmName {
  std::string pmu;          // "skl"
  std::string name;         // "INST_RETIRED:ANY_P", without the PMU
  std::string description;  // one line
};

// Every event of the PMUs that this machine has, each with each of its unit masks; but not the
// kernel's generic events, which have names without libpfm4. Read once: libpfm4 takes some 10 ms.
const std::vector<PfmName>& pfm_names();

}  // namespace tacho

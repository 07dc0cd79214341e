// The event names of libpfm4, which are those of the vendors (`skl::INST_RETIRED:ANY_P`).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// A text for people if tacho is built without libpfm4, which then finds and lists no vendor's name;
// empty if libpfm4 is built in.
std::string_view pfm_absence();

// The first call of one of the functions below starts the library, in less than 1 ms. One lock
// serializes all calls.

// The encoding; nothing if libpfm4 has no event of this name. It is an error if the event exists
// but the text behind its name is wrong, or if the named PMU is not this machine's. The domain is
// the PMU's; `cpus` is left empty.
Result<std::optional<Event>> pfm_event(std::string_view spec);

struct PfmName {
  std::string pmu;          // "skl"
  std::string name;         // "INST_RETIRED:ANY_P", without the PMU
  std::string description;  // one line
};

// Every event of this machine's PMUs with each of its unit masks. The kernel's generic events are
// left out: generic_names() has them. The list is read once, because that takes libpfm4 about 10
// ms.
const std::vector<PfmName>& pfm_names();

}  // namespace tacho

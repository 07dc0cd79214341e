// Describes the events and the machine of a recording, for its header.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "perfdata/inventory.hpp"
#include "perfdata/record.hpp"
#include "pmu/sampler.hpp"

namespace tacho {

std::vector<perfdata::WrittenEvent> written_events(std::span<const OpenedEvent>);

// Describes everything but the events. `root` is a prefix of /proc and /sys: tests use a tree of
// their own.
perfdata::Description describe_recording(const std::vector<std::string>& command,
                                         const perfdata::Inventory& inventory,
                                         const std::string& root = {});

}  // namespace tacho

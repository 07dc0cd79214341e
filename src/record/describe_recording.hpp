// What a recording tells of its events and of the machine that it was made on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "perfdata/inventory.hpp"
#include "perfdata/record.hpp"
#include "pmu/sampler.hpp"

namespace tacho {

std::vector<perfdata::WrittenEvent> written_events(std::span<const OpenedEvent>);

// All but the events. `root` stands before /proc and /sys: a made-up tree in tests.
perfdata::Description describe_recording(const std::vector<std::string>& command,
                                         const perfdata::Inventory& inventory,
                                         const std::string& root = {});

}  // namespace tacho

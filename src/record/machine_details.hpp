// Describes the machine of a recording further, as `perf report --header` shows it: memory nodes,
// caches and PMUs. It reads some files of each CPU, so it is done when the workload has ended.
#pragma once

#include <string>

#include "perfdata/record.hpp"

namespace tacho {

// Adds the memory nodes, the caches of all CPUs and the PMUs to the description. What sysfs does
// not have stays out. `root` is a prefix of /sys: tests use a tree of their own.
void add_machine_details(perfdata::Description& description, const std::string& root = {});

}  // namespace tacho

// Finds the perf map of a JIT compiler's process: /tmp/perf-PID.map, as the process saw it.
#pragma once

#include "base/result.hpp"
#include "locate/address_spaces.hpp"
#include "locate/module_file.hpp"
#include "perfdata/record.hpp"
#include "symbols/kallsyms_and_perf_map.hpp"

namespace tacho {

// Reads the map of the process that owns the module. A process in a container has its own /tmp and
// its own number. Its map is read there as long as the process runs. An error with the code ENOENT
// says that there is no map; another one says why a map was not used.
Result<symbols::OwnedTable> read_perf_map_of(const Module&, const perfdata::Description& recording,
                                             const SymbolSources&);

}  // namespace tacho

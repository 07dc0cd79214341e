// Records of the processes and of the kernel that run already when a recording begins. The kernel's
// own records cover only what happens from then on.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <vector>

#include "perfdata/encode_records.hpp"

namespace tacho {

// Returns the thread names and code mappings of these processes as records; of all if there are
// none. `with_data`: also the mappings of files' data, by which perf finds where a file begins when
// it unwinds stacks. Leaves out processes that end meanwhile, or that this user may not read.
std::vector<std::byte> records_of_processes(std::span<const pid_t> pids, bool with_data,
                                            const perfdata::Trailer& trailer);

// Returns the mappings of the kernel's text and of its modules. Returns no records if the kernel
// hides their addresses from this user.
std::vector<std::byte> records_of_kernel(const perfdata::Trailer& trailer);

}  // namespace tacho

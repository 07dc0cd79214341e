// Records of the processes and of the kernel that run already when a recording begins. The kernel's
// own records cover only what happens from then on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "perfdata/encode_records.hpp"
#include "record/present_threads.hpp"

namespace tacho {

// Returns the names of these threads and the code mappings of their processes as records. Threads
// of a process are beside each other. `with_data`: also the mappings of data of the files with
// code, by which perf finds where a file begins when it unwinds stacks. Leaves out what has ended
// meanwhile, or what this user may not read.
std::vector<std::byte> records_of_threads(std::span<const PresentThread> threads, bool with_data,
                                          const perfdata::Trailer& trailer);

// Returns the mappings of the kernel's text and of its modules. Returns no records if the kernel
// hides their addresses from this user.
std::vector<std::byte> records_of_kernel(const perfdata::Trailer& trailer);

}  // namespace tacho

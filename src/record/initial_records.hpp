// The processes that are there when a recording begins: the kernel tells only of what they do from
// then on.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "perfdata/encode_records.hpp"

namespace tacho {

// The names of the threads and the mappings of code of one process, or of all, as records. What
// ends meanwhile, or may not be looked at, is left out.
std::vector<std::byte> records_of_processes(std::optional<pid_t> pid,
                                            const perfdata::Trailer& trailer);

// The kernel's text and its modules; nothing where their addresses are hidden from this user.
std::vector<std::byte> records_of_kernel(const perfdata::Trailer& trailer);

}  // namespace tacho

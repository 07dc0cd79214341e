// Reads the pieces of one recording, as perf record --switch-output writes them, one after the
// other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "perfdata/reader.hpp"

namespace tacho::perfdata {

// The pieces are read in the order of their times; in the given order if some do not say when they
// begin. Only one is open at a time. Fails if one is no
// recording, or if they are of different commands or machines.
Result<std::unique_ptr<Reader>> open_joined(std::vector<std::string> pieces);

}  // namespace tacho::perfdata

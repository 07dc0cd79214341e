// Opens recordings that may be compressed as a whole, with gzip, xz or zstd. They are expanded into
// a temporary file without a name.
#pragma once

#include <string>

#include "base/result.hpp"
#include "perfdata/input.hpp"

namespace tacho::perfdata {

// The file or stream as it is, or expanded if it begins as a compressed file. Fails if it can't be
// read. A compressed one also fails if it is damaged, if it expands far beyond what recordings do,
// if there is no room for the temporary file, or if tacho was built without the library.
Result<Input> open_expanded(const std::string& path);

}  // namespace tacho::perfdata

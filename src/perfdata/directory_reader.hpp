// Reads the directories that perf record writes: with --threads, a file of records for each of its
// threads (data.0, data.1, …) beside the recording `data`; with --kcore, a copy of the kernel.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "perfdata/reader.hpp"

namespace tacho::perfdata {

// All records of a file, of a stream ("-") or of such a directory, in time order. Fails if a file
// can't be read or is no recording.
Result<std::unique_ptr<Reader>> open_file_or_directory(const std::string& path);

}  // namespace tacho::perfdata

// What `tacho merge` is to do, and its whole way: reads the files, and writes what they are
// together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "report/format.hpp"
#include "report/notices.hpp"

namespace tacho {

struct MergeRequest {
  std::vector<std::string> files;
  Format format = Format::text;
  std::string output;  // a file; empty: standard output
};

// A file that can't be used is left out, and a warning names it and says why. Errors: no file can
// be used; one was given twice, or is the output; the files do not fit together; the result can't
// be written.
Result<void> merge_files(const MergeRequest& request, std::string_view version,
                         const Notices& notices);

}  // namespace tacho

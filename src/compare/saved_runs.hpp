// Runs that an earlier comparison kept (--save), as a baseline for another one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "compare/runs.hpp"

namespace tacho {

// Reads what to_json() wrote. The file may come from anyone: what does not fit is an error.
Result<PairedRuns> read_saved_runs(const std::string& path);

// The same for the file's text. `path` is for errors.
Result<PairedRuns> parse_saved_runs(std::string_view text, const std::string& path);

// The runs of the first command alone, labelled B.
PairedRuns first_command(PairedRuns runs);

// The first command of `before`, as A, and the commands of `after`. They did not run side by side,
// so judge() takes them as two sessions.
PairedRuns put_beside(const PairedRuns& before, const PairedRuns& after);

}  // namespace tacho

// Directories of simulated runs whose tacho was killed (SIGKILL, a crash, a power cut): the next
// run removes them.
#pragma once

#include <filesystem>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace tacho {

// The name of a run's directory, for mkdtemp(3).
inline constexpr const char* kRunDirectoryName = "tacho-XXXXXX";

// Marks a directory as that of a run which goes on: a file in it that is locked as long as the
// descriptor is open.
Result<Fd> mark_run(const std::string& directory);

// Removes the directories in `parent` that are marked, belong to this user alone and whose run goes
// on no more. Leaves everything else: also directories that have a file which is not a
// simulation's.
void remove_abandoned_runs(const std::filesystem::path& parent);

}  // namespace tacho

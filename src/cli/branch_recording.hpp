// A recording read for its branch stacks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "blocks/blocks.hpp"
#include "cli/recording.hpp"
#include "perfdata/reader.hpp"

namespace tacho {

// Blocks, and what was needed to make them: names and instructions are asked for later, too.
struct BranchRecording {
  std::unique_ptr<perfdata::Reader> reader;  // for its description
  std::unique_ptr<BranchStacks> stacks;
  std::unique_ptr<Resolver> resolver;
  Blocks blocks;  // with the warnings of reading it and of finding names
};

// Errors: the file is no recording, has no such event, or no branch stacks.
Result<BranchRecording> read_branches(const RecordingOptions& options, Paths paths);

}  // namespace tacho

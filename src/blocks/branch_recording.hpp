// Reads a recording for its branch stacks and makes runs from them.
#pragma once

#include <memory>
#include <optional>

#include "blocks/branch_stacks.hpp"
#include "blocks/code_runs.hpp"
#include "blocks/runs_from_stacks.hpp"
#include "locate/recording_input.hpp"
#include "locate/recording_pairs.hpp"
#include "locate/resolver.hpp"
#include "perfdata/reader.hpp"

namespace tacho {

// Blocks, and the objects that made them: they look up names and instructions later.
struct BranchRecording {
  std::unique_ptr<perfdata::Reader> reader;  // its description is used
  std::unique_ptr<BranchStacks> stacks;
  std::unique_ptr<Resolver> resolver;
  std::optional<ChosenSamples> chosen;  // none: all samples
  RecordingOrigin origin;
  bool damaged = false;  // the rest could not be read
  Blocks blocks;         // its warnings include those of reading the recording and of finding names
};

// Errors: the file is no recording, or it has no branch stacks or no such event.
Result<BranchRecording> read_branches(const RecordingInput&, LoopsAndChains);

}  // namespace tacho

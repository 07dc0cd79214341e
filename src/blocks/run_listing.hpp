// The instructions of runs, with the source that they were compiled from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "blocks/code_runs.hpp"
#include "locate/resolver.hpp"

namespace tacho {

struct RunInstruction {
  std::uint64_t address = 0;
  std::string text;    // in assembler syntax
  std::string target;  // name of what it jumps to or calls; empty if it is not known
  bool block_start = false;
  std::string file, source;  // empty if not known, or if the same as of the instruction before
  unsigned line = 0;
  std::string inlined;  // the function that it was inlined from, if it was
};

struct RunListing {
  std::size_t run = 0;  // index into Blocks::runs
  std::vector<RunInstruction> instructions;
  std::vector<std::string> warnings;
};

// Errors: the file with the code is not here, or the code's architecture is not supported.
Result<RunListing> list_run(const Blocks&, std::size_t run, Resolver&);

struct RunListings {
  std::vector<RunListing> listings;
  std::vector<std::string> warnings;  // of all listings, each once
};
// Of these runs, those whose code is here. A run that cannot be listed is a warning.
RunListings list_runs(const Blocks&, std::span<const std::size_t> runs, Resolver&);

}  // namespace tacho

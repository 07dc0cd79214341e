// One function, instruction by instruction and line by line, with the samples that fell on each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/profile_summary.hpp"

namespace tacho {

// Samples of the chosen event, and their share of the function's.
struct AnnotatedCount {
  SampleCount count;
  double share = 0;
  ShareInterval ci95;
};

struct AnnotatedInstruction {
  std::uint64_t address = 0;
  std::string text;  // with the name of what it jumps to or calls
  AnnotatedCount samples;
  std::size_t line = 0;  // in Annotation::lines; its size when it has none
  std::string inlined;   // from which function, when it was inlined
};

struct AnnotatedLine {
  std::string file;
  unsigned number = 0;
  std::string text;  // empty when the source can't be read
  AnnotatedCount samples;
};

struct Annotation {
  SampledEvent event;
  std::string module, path, function;
  std::uint64_t start = 0, end = 0;
  SampleCount total;        // of the function
  double share_of_all = 0;  // of all samples of the event
  ShareInterval ci95_of_all;
  std::vector<AnnotatedInstruction> instructions;  // by address
  std::vector<AnnotatedLine> lines;                // by file, then number; those with instructions
  std::vector<std::string> warnings;
};

// The function that a user means by `name`; of several, the one with the most samples, and a
// warning names the others. Errors: none has samples, its file is not to be had or not to be shown.
Result<Annotation> annotate(const Profile&, const perfdata::Description&, Resolver&,
                            std::size_t event, const std::string& name);

}  // namespace tacho

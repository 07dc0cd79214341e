// One function, instruction by instruction and line by line, with the samples and the metrics of
// each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profile/summary.hpp"

namespace tacho {

struct AnnotatedCount {
  std::vector<SampleCount> counts;      // by event
  std::vector<CountInterval> counts95;  // of the sums in `counts`
  double share = 0;                     // of the chosen event's
  ShareInterval ci95;
  std::vector<double> shares;  // of each event's
  std::vector<ShareInterval> shares95;
  std::vector<RowMetric> metrics;
};

struct AnnotatedInstruction {
  std::uint64_t address = 0;
  std::uint8_t size = 0;   // bytes
  std::string text;        // with the name of the function that it jumps to or calls
  AnnotatedCount samples;  // shares are of the function's samples
  std::size_t line = 0;    // index into Annotation::lines; its size if there is none
  std::string inlined;     // the function that it was inlined from, if it was
};

struct AnnotatedLine {
  std::string file;
  unsigned number = 0;
  std::string text;  // empty if the source cannot be read
  AnnotatedCount samples;
};

struct Annotation {
  std::vector<SampledEvent> events;
  std::size_t event = 0;  // the chosen one
  std::string module, path, function;
  std::string inlined_into;  // if `function` was inlined: the function that has its code
  std::uint64_t start = 0, end = 0;
  AnnotatedCount total;  // of the whole function; its share is of all samples
  std::vector<AnnotatedInstruction> instructions;  // by address
  std::vector<AnnotatedLine> lines;                // lines with instructions, by file and number
  std::optional<ChosenSamples> chosen;             // none: all samples
  std::vector<std::string> warnings;
};

// The function that a user means by `name` (choose_function), or the code of an inlined function in
// the function that has most of its samples. If the name means several, warnings name the others.
// Errors: none has samples, or its code cannot be read or shown.
Result<Annotation> annotate(const Profile&, const perfdata::Description&, Resolver&,
                            std::size_t event, const std::string& name,
                            std::span<const Metric> metrics);

}  // namespace tacho

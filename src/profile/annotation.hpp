// One function, instruction by instruction and line by line, with the samples that fell on each and
// the metrics of the events that they were samples of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profile/summary.hpp"

namespace tacho {

struct AnnotatedCount {
  std::vector<SampleCount> counts;      // by event
  std::vector<CountInterval> counts95;  // of their sums
  double share = 0;                     // of the chosen event's
  ShareInterval ci95;
  std::vector<RowMetric> metrics;
};

struct AnnotatedInstruction {
  std::uint64_t address = 0;
  std::string text;        // with the name of what it jumps to or calls
  AnnotatedCount samples;  // their share is of the function's
  std::size_t line = 0;    // in Annotation::lines; its size when it has none
  std::string inlined;     // from which function, when it was inlined
};

struct AnnotatedLine {
  std::string file;
  unsigned number = 0;
  std::string text;  // empty when the source can't be read
  AnnotatedCount samples;
};

struct Annotation {
  std::vector<SampledEvent> events;
  std::size_t event = 0;  // the chosen one
  std::string module, path, function;
  std::uint64_t start = 0, end = 0;
  AnnotatedCount total;                            // of the function, among all
  std::vector<AnnotatedInstruction> instructions;  // by address
  std::vector<AnnotatedLine> lines;                // by file, then number; those with instructions
  std::vector<std::string> warnings;
};

// The function that a user means by `name`; of several, the one with the most samples, and a
// warning names the others. Errors: none has samples, its file is not to be had or not to be shown.
Result<Annotation> annotate(const Profile&, const perfdata::Description&, Resolver&,
                            std::size_t event, const std::string& name,
                            std::span<const Metric> metrics);

}  // namespace tacho

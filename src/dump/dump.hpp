// `tacho dump`: prints the samples of a recording one by one, or all its records as they are.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "dump/sample_dump.hpp"
#include "locate/recording_input.hpp"
#include "report/output.hpp"

namespace tacho {

struct DumpOptions {
  SampleDumpOptions samples;
  bool raw = false;     // every record, in the order of the recording
  bool header = false;  // first, what the recording states about itself
};

// Reads the recording once and writes while it reads, in bounded memory. Puts what makes the result
// doubtful into `warnings`. Errors: the file is no recording, it has no such event or field, or it
// is damaged. Everything before the damage is written first.
Result<void> dump(const RecordingInput& input, const DumpOptions& options, Output& output,
                  std::vector<std::string>& warnings);

}  // namespace tacho

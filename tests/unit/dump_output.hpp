// Runs tacho dump on a made-up recording.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "dump/dump.hpp"
#include "perfdata_builder.hpp"
#include "report/output.hpp"

namespace perf_format {

struct Dumped {
  std::string text;
  std::string error, remedy;
  std::vector<std::string> warnings;

  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  }
};

inline Dumped dumped(std::string_view bytes, const tacho::DumpOptions& options = {}) {
  const OnDisk disk(bytes);
  const OnDisk written("");
  Dumped result;
  {
    auto output = tacho::Output::to_file(written.path());
    EXPECT_TRUE(output);
    tacho::RecordingInput input;
    input.file = disk.path();
    const auto done = tacho::dump(input, options, *output, result.warnings);
    if (!done) {
      result.error = done.error().what;
      result.remedy = done.error().remedy;
    }
  }
  std::ostringstream all;
  all << std::ifstream(written.path(), std::ios::binary).rdbuf();
  result.text = all.str();
  return result;
}

}  // namespace perf_format

// What `tacho record` was asked to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "pmu/sampler.hpp"

namespace CLI {
class App;
}

namespace tacho {

struct RecordOptions {
  std::vector<std::string> events;  // -e, each a list; empty: cycles, or the CPU's clock
  std::optional<std::uint64_t> period;
  std::optional<std::uint64_t> frequency;
  bool frame_pointers = false;            // -g
  std::optional<std::string> call_graph;  // fp or dwarf[,BYTES]
  bool branches = false;
  std::optional<int> pid;
  bool every_cpu = false;
  std::string pmu = "auto";
  std::string output = "perf.data";
  bool quiet = false;
  std::vector<std::string> command;
};

void declare(CLI::App& record, RecordOptions& options);

// What to sample, and how; or which options exclude or need each other.
Result<SampleSpec> sample_spec(const RecordOptions& options);

}  // namespace tacho

// The options of `tacho record`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "pmu/sampler.hpp"
#include "process/asked_targets.hpp"
#include "process/cgroups.hpp"
#include "process/part_of_run.hpp"

namespace CLI {
class App;
}

namespace tacho {

struct RecordOptions {
  std::vector<std::string> events;  // -e, each a list; empty: cycles or cpu-clock
  std::optional<std::uint64_t> period;
  std::optional<std::uint64_t> frequency;
  bool frame_pointers = false;            // -g
  std::optional<std::string> call_graph;  // fp, lbr or dwarf[,BYTES]
  bool branches = false;
  bool wall = false, off_cpu = false;  // waits are recorded: beside running time, or alone
  std::optional<std::string> clock;    // -k
  AskedTargets targets;
  std::string cgroup, container;  // of one; empty: none
  PartOfRun part;
  std::string pmu = "auto";
  std::string output = "perf.data";
  bool quiet = false;
  std::vector<std::string> command;

  bool records_waits() const { return wall || off_cpu; }
};

void declare(CLI::App& record, RecordOptions& options);

// The control group that is asked for; none if nothing is asked for.
Result<std::vector<OpenedCgroup>> open_group(const RecordOptions& options);

// Checks the options and turns them into a SampleSpec. An error names options that exclude or need
// each other.
Result<SampleSpec> sample_spec(const RecordOptions& options);

}  // namespace tacho

// sampling: drains samplers into a recording. One run: a command that is launched, or what runs
// already; the records flow from the kernel's buffers through an inventory into a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/event.hpp"
#include "perfdata/writer.hpp"
#include "pmu/pmu.hpp"
#include "process/supervisor.hpp"

namespace tacho {

struct RecordRequest {
  std::vector<std::string> command;  // empty: what runs already
  std::optional<pid_t> pid;
  bool every_cpu = false;
  SampleSpec spec;
  std::uint64_t seed = 0;                 // of the dithered periods
  std::vector<std::string> command_line;  // tacho's own, for the recording's header
};

struct RecordResult {
  std::vector<perfdata::WrittenEvent> events;
  std::vector<std::uint64_t> samples;           // of each
  std::vector<std::optional<double>> coverage;  // see Sampler
  std::uint64_t lost = 0;
  std::uint64_t throttled = 0;
  double elapsed_s = 0;
  Ending ending;
  std::string simulated;              // the model, when it was a simulation: so is elapsed_s then
  std::vector<std::string> warnings;  // what else the user should know
  Result<void> written;               // why the recording ends before the run
};

// Runs or watches, and writes. Whatever goes wrong with the file, the workload goes on.
Result<RecordResult> record(Pmu& pmu, Supervisor& supervisor, std::span<const EventGroup> groups,
                            const RecordRequest& request, perfdata::Writer& writer);

}  // namespace tacho

// Records one run: a command that tacho launches, a running process, or every CPU. The records go
// from the sampler's buffers through an inventory, which counts them, into a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/event.hpp"
#include "perfdata/recording_output.hpp"
#include "pmu/pmu.hpp"
#include "pmu/simulation_progress.hpp"
#include "process/asked_targets.hpp"
#include "process/counting_control.hpp"
#include "process/supervisor.hpp"

namespace tacho {

struct RecordRequest {
  std::vector<std::string> command;  // empty: nothing is launched
  AskedTargets targets;
  int cgroup = -1;  // with every CPU: only what runs in this group, whose directory this is
  SampleSpec spec;
  std::uint64_t seed = 0;                   // for dithering the sampling periods
  std::vector<std::string> command_line;    // of tacho itself, for the header of the recording
  SimulationProgress::Tell simulated = {};  // how far a simulation has come
  // Sampling begins so long after the start; max(): not before a command says so. Nothing: at the
  // start.
  std::optional<std::chrono::nanoseconds> delay = {};
  CountingControl* control = nullptr;  // turns sampling on and off meanwhile; null: nobody does
};

struct RecordResult {
  std::vector<perfdata::WrittenEvent> events;
  std::vector<std::uint64_t> samples;                // of each event
  std::vector<std::optional<double>> coverage;       // of each event: see Sampler::coverage
  std::vector<std::optional<std::uint64_t>> counts;  // of each event: see Sampler::counts
  std::uint64_t lost = 0;  // records of every type that found no room in the buffers
  // How many of them can have been samples, by what the events counted; nothing if not known.
  std::optional<std::uint64_t> most_lost_samples = {};
  std::uint64_t throttled = 0;
  bool paused = false;  // there were too many switches: not each has a sample
  double elapsed_s = 0;
  std::optional<double> sampled_s = {};  // the part of it in which sampling was on, if it was off
  Ending ending;
  std::string simulated;  // the model of a simulation; elapsed_s is then simulated time
  std::vector<std::string> warnings;
  // Why the kernel took the events away from the command: what it did then has no samples.
  std::optional<Error> taken = {};
  double seen_s = 0;         // if they were taken: the CPU time that was sampled
  Result<void> file_status;  // an error if the recording ends before the run
};

// Launches or attaches, samples and writes. If the file can't be written, the workload continues.
Result<RecordResult> record(Pmu& pmu, Supervisor& supervisor, std::span<const EventGroup> groups,
                            const RecordRequest& request, perfdata::RecordingOutput& output);

}  // namespace tacho

// The runs of a comparison: plain values that the judgement, the reports and saved files share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/request.hpp"
#include "stats/measurement.hpp"

namespace tacho {

inline constexpr std::string_view kCpuTime = "CPU time";  // user and system time together
inline constexpr std::string_view kWallTime = "wall time";
inline constexpr std::string_view kUserTime = "user time";
inline constexpr std::string_view kSystemTime = "system time";
inline constexpr std::string_view kMemory = "peak memory";

// Of comparisons of equal commands, this part claims a change of the primary metric.
inline constexpr double kAlpha = 0.05;

// Whether a simulated program counts the same in each run, so that another run would do so, too.
// One run does not show that: caches with random replacement, and random programs, differ.
bool counts_alike(const Machine& machine, const std::vector<double>& values);

struct ComparedMetric {
  std::string name;
  std::string unit;    // "s", "bytes", "ns", or empty for counts
  std::string reason;  // why it has no values; empty if it has
};

// What runs in each block, once.
struct BlockMember {
  enum class Role {
    compared,  // a command of the user
    control,   // the first command once more
    fixed,     // a command with a fixed layout, beside its shuffled one
  };
  std::size_t command = 0;
  Role role = Role::compared;
};

// One process.
struct ComparedRun {
  std::size_t member = 0;
  std::size_t block = 0;                           // 0 is the warm-up, which is not judged
  double begun_s = 0;                              // since the comparison began
  std::vector<std::optional<double>> values = {};  // by metric
  int exit_code = 0;
  std::uint64_t output_bytes = 0;  // of standard output, if it was a pipe
  std::uint64_t output_digest = 0;
};

// Why no more pairs were run.
enum class Stopped { decided, precise, looks, time, signal };
std::string_view to_string(Stopped);

// The session of a saved file whose first command is compared with commands of a later session.
struct Baseline {
  std::string started;
  Machine machine;
};

struct PairedRuns {
  std::vector<ComparedCommand> commands;
  std::vector<BlockMember>
      members;  // the first is the first command, with which the others are compared
  std::vector<ComparedMetric> metrics;
  std::size_t primary = 0;  // the metric of the verdict
  Machine machine;
  std::string started;            // local time, ISO 8601
  std::vector<ComparedRun> runs;  // in the order in which they ran
  std::size_t blocks = 0;         // complete ones, without the warm-up
  std::vector<std::size_t> looks;
  double level = 0.05;  // of each look
  // The first look at which the primary metric is significant ends the comparison.
  bool ends_when_decided = false;
  Stopped stopped = Stopped::looks;
  std::optional<Sweep> sweep;
  std::optional<Baseline> baseline;  // the first command did not run beside the others
  std::vector<std::string> warnings;

  // Whether a simulation counted the primary metric alike in all runs of each command.
  bool exact() const;
  // The members that are compared with the first one.
  std::vector<std::size_t> compared() const;
  // By block, from the first that is judged: the values of a metric in the runs of a member.
  std::vector<std::optional<double>> series(std::size_t member, std::size_t metric) const;
};

}  // namespace tacho

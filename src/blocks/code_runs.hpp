// The result of `tacho blocks`: each taken branch, each run of straight-line code between two taken
// branches with its cycles, and the loops and chains that the runs form. Plain values;
// docs/reference/blocks.md says what they mean and how sure they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stats/histogram.hpp"

namespace tacho {

// The largest number of cycles that an entry can hold (16 bits). It means this many or more.
inline constexpr std::uint64_t kMostCycles = 0xffff;

// Entries and stacks that are not counted in runs. An entry is counted by the first of these that
// applies.
struct SkippedEntries {
  std::uint64_t empty = 0;       // empty stacks, of samples that should have one
  std::uint64_t wrong_path = 0;  // branches that the processor speculated about and took back
  std::uint64_t doubled = 0;     // newest entries that repeat the next entry's source and target
  // Entries without cycles. If no entry of the recording has cycles, these are counted in runs
  // nevertheless: with executions and without cycles.
  std::uint64_t no_cycles = 0;
  std::uint64_t impossible = 0;  // no straight-line code leads from the one branch to the other
};

// All entries with this source and target, as recorded: raw addresses, of all processes, with the
// entries that are not counted in runs.
struct BranchEdge {
  std::uint64_t from = 0, to = 0;
  std::uint64_t count = 0;
  std::uint64_t mispredicted = 0;
  std::uint64_t with_prediction = 0;  // entries that say whether the branch was predicted
  Histogram cycles;                   // of the entries that have cycles
};

// One execution of a run, in one of the stacks that were kept.
struct KeptExecution {
  std::uint32_t stack = 0;
  std::uint16_t cycles = 0;
  bool mispredicted = false;
  bool has_prediction = false;  // the recording says whether the branch was predicted
};

// The code from a branch's target to the next taken branch, which is its last instruction. The same
// code of a file is one run, in whichever processes and at whichever addresses it was executed.
struct CodeRun {
  std::uint32_t module = 0;  // index into Blocks::modules
  // First and last instruction: addresses as in the file, or as recorded if there is no file.
  std::uint64_t start = 0, end = 0;
  std::uint64_t recorded_start = 0, recorded_end = 0;  // as recorded at its first execution
  std::string function;                       // that contains `start`; empty if it is not known
  std::uint64_t function_offset = 0;          // bytes from the function's beginning to `start`
  std::uint64_t count = 0;                    // executions
  std::uint64_t mispredicted = 0;             // executions whose last branch was mispredicted
  std::uint64_t with_prediction = 0;          // executions that say whether it was
  std::optional<std::uint32_t> instructions;  // with the last one; absent if there is no file
  std::vector<std::uint64_t> basic_blocks;    // their starts; empty if there is no file
  Histogram cycles;                           // of its executions; empty if none has cycles
  std::uint64_t cycle_sum = 0;
  std::vector<KeptExecution> kept;  // stack by stack; all executions, if all stacks were kept
  // Executions and cycles as if all moments of the code, not of the clock, had been sampled alike.
  // If samples are some cycles apart, slow code is sampled more often for each of its executions.
  // So each kept execution counts by the inverse of the cycles around it: those of the other half
  // of its stack (D. G. Horvitz and D. J. Thompson, J. Am. Stat. Assoc. 47 (1952)). Its own half
  // would count a slow execution less for its own cycles. 0 if samples are not some cycles apart.
  double even_executions = 0, even_cycles = 0;

  // Executions that took kMostCycles or more. If there are any, the sum of cycles is a lower bound,
  // and so is every quantile that equals kMostCycles.
  std::uint64_t saturated() const;

  // Instructions per cycle over all executions; an upper bound if some are saturated.
  std::optional<double> ipc() const;
};

// Runs that follow each other, as indices of Blocks::runs, in the order in which they were
// executed.
struct RunChain {
  std::vector<std::size_t> runs;
  std::uint64_t count = 0;  // how often the whole chain was seen
  Histogram cycles;         // of the whole chain, each time that all its entries have cycles
  std::uint64_t cycle_sum = 0;
};

// Runs that repeat: after the last one comes the first one again.
struct RunLoop {
  RunChain round;  // the most frequent way round
  // Executions of its first instruction, on any way round, and how often the loop was entered.
  std::uint64_t iterations = 0, entered = 0;
  // Iterations for each time that it is entered, with a 95 % interval. If it was never seen to be
  // entered, only the lower bound is known.
  std::optional<double> trips;
  double trips_low = 1;
  std::optional<double> trips_high;
};

// The file that contains a run's code.
struct RunModule {
  std::string name;  // the last part of its path, or a description such as "[kernel]"
  std::string path;
  std::string build_id;   // in hex; empty if it is not known
  bool has_code = false;  // the file can be read here
};

struct Blocks {
  std::string event;      // whose samples have the stacks
  std::string cpu, host;  // of the recording; empty if it does not name them
  std::vector<std::string> command;
  std::string architecture;
  std::uint64_t samples = 0;      // that have a branch stack, or should have one
  std::uint64_t entries = 0;      // of their stacks
  std::uint64_t not_counted = 0;  // stacks that are left out: there are too many different branches
  // Stacks that are longer than the period between two samples, and so have executions in common.
  std::uint64_t overlapping = 0;
  SkippedEntries skipped;
  bool has_cycles = false;   // at least one entry has cycles
  bool every_branch = true;  // false: only some kinds of branches were recorded, so no run is known
  std::vector<RunModule> modules;
  std::uint64_t not_followed = 0;  // runs whose instructions were not counted: they are too many
  std::vector<CodeRun> runs;       // most cycles first; without cycles, most executions first
  // Stacks that were kept, drawn at random; all of them, if there are not too many. Loops, chains
  // and intervals are computed from these.
  std::uint64_t stacks_kept = 0;
  std::vector<RunLoop> loops;    // most cycles first
  std::vector<RunChain> chains;  // hyperblocks, most cycles first
  std::vector<std::string> warnings;
};

// The name of a run: its function and the offset in it, or its address if no function is known.
std::string run_name(const CodeRun&, const Blocks&);

}  // namespace tacho

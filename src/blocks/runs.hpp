// What branch stacks tell of machine code: each taken branch, each straight-line run between two of
// them with its cycles, and how runs follow each other. Plain values; docs/reference/blocks.md says
// what they mean and how sure they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stats/difference.hpp"
#include "stats/histogram.hpp"
#include "stats/modes.hpp"
#include "stats/quantile.hpp"
#include "stats/share.hpp"

namespace tacho {

// An entry's cycles are a field of 16 bits, which stops at its end: what says so many took so many
// or more.
inline constexpr std::uint64_t kMostCycles = 0xffff;

// Entries and stacks that runs leave out. An entry is counted by the first of these that holds.
struct SkippedEntries {
  std::uint64_t empty = 0;       // stacks, of samples that should have one
  std::uint64_t wrong_path = 0;  // what the processor speculated about and took back
  std::uint64_t doubled = 0;     // a stack's newest entry that repeats the next one's from and to
  // What tells no cycles. Where no entry of the recording does, these are in runs all the same,
  // with executions and without cycles.
  std::uint64_t no_cycles = 0;
  std::uint64_t impossible = 0;  // what can't have run straight from the one branch to the other
};

// Every entry with this source and target, as recorded: raw addresses, of all processes, with those
// that runs leave out.
struct BranchEdge {
  std::uint64_t from = 0, to = 0;
  std::uint64_t count = 0;
  std::uint64_t mispredicted = 0;
  std::uint64_t told = 0;  // entries that tell whether they were predicted
  Histogram cycles;        // of those that tell them
};

// One execution of a run, in one of the stacks that were kept.
struct KeptExecution {
  std::uint32_t stack = 0;
  std::uint16_t cycles = 0;
  bool mispredicted = false, told = false;
};

// The code from a branch's target to the next taken branch, which is its last instruction. Runs of
// several processes, or at several places of one, are one run where their file is.
struct Run {
  std::uint32_t module = 0;          // in Blocks::modules
  std::uint64_t start = 0, end = 0;  // first and last instruction: addresses as the file has them;
                                     // as recorded, where the file is not to be had
  std::uint64_t recorded_start = 0, recorded_end = 0;  // as it was first seen
  std::string function;                                // of its start; empty when it is not known
  std::uint64_t function_offset = 0;                   // of `start` in it
  std::uint64_t count = 0;                             // executions that were seen
  std::uint64_t mispredicted = 0;                      // of them, by its last branch
  std::uint64_t told = 0;                              // of them, that tell it
  std::optional<std::uint32_t> instructions;           // with the last; absent without the file
  std::vector<std::uint64_t> blocks;  // the starts of its basic blocks; empty likewise
  Histogram cycles;                   // of its executions; empty where none tells them
  std::uint64_t cycle_sum = 0;
  std::vector<KeptExecution> kept;  // stack by stack; all, where all stacks were kept

  // Executions that took kMostCycles or more: the sum is a lower bound then, and so is whatever
  // quantile is kMostCycles.
  std::uint64_t saturated() const;

  // Instructions a cycle over all executions; an upper bound where some are saturated.
  std::optional<double> ipc() const;
};

// How sure it is what is told of a run. Executions in one stack are alike, for they are neighbours
// in time: intervals go by how the kept stacks differ.
struct BranchRatio {
  double value = 0;
  ShareInterval ci95;
};
// Absent where no entry tells it.
std::optional<BranchRatio> mispredict_ratio(const Run&);
// Not of runs without cycles.
QuantileInterval median95(const Run&);
// Its limits are infinite where fewer than ten stacks tell it.
Estimated mean95(const Run&);
// The half-width of a sum over the executions, by what each adds to it beyond its share, which its
// cycles tell (a ratio of sums: W. G. Cochran, Sampling Techniques, 3rd ed., ch. 6). Infinite where
// fewer than ten stacks tell it.
double sum95(const Run&, const std::function<double(std::uint64_t cycles)>& residual);
// Of the executions of a run: what fewer of them take is no mode of its own.
inline constexpr double kLeastModeShare = 0.02;
std::vector<Mode> modes_of(const Run&);
// Of its executions, the part of what none of them did.
ShareInterval none95(const Run&);

// Runs that follow each other, as indices of Blocks::runs, in the order in which they ran.
struct RunChain {
  std::vector<std::size_t> runs;
  std::uint64_t count = 0;  // how often it was seen whole
  Histogram cycles;         // of the whole, of those times that tell them all
  std::uint64_t cycle_sum = 0;
};

// Runs behind whose last the first comes again: the most frequent way round.
struct RunLoop {
  RunChain round;
  // Executions of its first instruction, on whatever way, and how often its code was entered.
  std::uint64_t iterations = 0, entered = 0;
  // Iterations each time it is entered, with a 95 % interval. Where it was never seen to be entered
  // there is only the lower bound.
  std::optional<double> trips;
  double trips_low = 1;
  std::optional<double> trips_high;
};

// Where a run's code is from.
struct RunModule {
  std::string name;  // the last part of its path, or what stands for it
  std::string path;
  std::string build_id;   // in hex; empty when none is known
  bool has_code = false;  // its file is here
};

struct Blocks {
  std::string event;      // whose samples have the stacks
  std::string cpu, host;  // of the recording; empty where it does not tell
  std::vector<std::string> command;
  std::string architecture;
  std::uint64_t samples = 0;  // that have a branch stack or should
  std::uint64_t entries = 0;  // of their stacks
  SkippedEntries skipped;
  bool has_cycles = false;   // any entry tells them
  bool every_branch = true;  // false: the recording kept some kinds only, so there are no runs
  std::vector<RunModule> modules;
  std::vector<Run> runs;  // most cycles first; without cycles, most executions
  // Of so many stacks, drawn at random: all, where there are no more. Intervals, too.
  std::uint64_t stacks_followed = 0;
  std::vector<RunLoop> loops;    // most cycles first
  std::vector<RunChain> chains;  // hyperblocks, most cycles first
  std::vector<std::string> warnings;
};

// A run's instructions, with the source that they were compiled from.
struct RunInstruction {
  std::uint64_t address = 0;
  std::string text;    // as the assembler takes it
  std::string target;  // the name of what it jumps to or calls; empty when it is not known
  bool block_start = false;
  std::string file, source;  // empty where it is not told, or the same as before
  unsigned line = 0;
  std::string inlined;  // from which function, when it was inlined
};
struct RunListing {
  std::size_t run = 0;  // in Blocks::runs
  std::vector<RunInstruction> instructions;
  std::vector<std::string> warnings;
};

// Which runs a user wants to see: those for which all holds that is given.
struct RunChoice {
  std::string function;
  std::optional<std::uint64_t> address;  // within it, as the file has it or as recorded
  std::string file;                      // with `line`; its last parts are enough
  unsigned line = 0;
};

}  // namespace tacho

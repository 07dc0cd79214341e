// compare: runs commands in pairs, in random order, and judges how they differ
// (docs/explanation/comparing.md). This file has what `tacho compare` is to do, as a plain value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/format.hpp"

namespace tacho {

// One command and how it is run.
struct ComparedCommand {
  std::string label;  // "A", "B", …
  std::string name;   // what the user calls it; empty: its label
  std::vector<std::string> words;
  std::vector<std::string> environment;  // NAME=VALUEs to add
  std::string directory;                 // the working directory; empty: tacho's
  std::string input;                     // file of the standard input; empty: /dev/null
  std::string setup;                     // for a shell: once, before the first run
  std::string prepare;                   // before each run, not measured
  std::string cleanup;                   // after each run, not measured

  const std::string& shown() const { return name.empty() ? label : name; }
};

// Where a run's memory is: the addresses of the stack, the libraries and the program, and the size
// of the environment, which moves the stack.
enum class MemoryLayout {
  kernel,    // random addresses, as the kernel draws them; each command's own environment
  fixed,     // no random addresses; environments of one size
  shuffled,  // random addresses, and an environment of random size
};

// Where the output of a run goes.
enum class OutputTo { pipe, null };

inline constexpr std::size_t kMostCommands = 26;  // labelled A to Z
inline constexpr std::size_t kMostPairs = 100'000;

// When a comparison ends. The runs are judged at the looks only, so that the results do not decide
// how often they are judged.
struct StopRule {
  std::vector<std::size_t> looks;   // numbers of pairs, increasing
  std::optional<double> seconds;    // the last pair begins before this time
  std::optional<double> precision;  // asked for: largest half-width of the primary metric's change
};

// A parameter of a command, and the values that it takes.
struct Sweep {
  std::string name;
  std::vector<std::string> texts;  // the values as they are written into the command
  std::vector<double> values;      // by command
};

// A bound on a change that must be shown to hold, such as cpu<=+3%.
struct Gate {
  std::string text;    // as the user wrote it
  std::string metric;  // its name in reports
  bool upper = true;   // the change is to be at most the bound; false: at least
  double bound = 0;    // relative: 0.03 for +3 %
};

struct CompareRequest {
  std::vector<ComparedCommand> commands;
  std::vector<std::string> events;  // each a list, as -e takes it
  std::vector<std::string> sets;
  std::string pmu = "auto";
  std::optional<int> counters;
  std::optional<Sweep> sweep;    // the commands are one command with these values
  std::optional<StopRule> stop;  // none: the usual looks
  std::vector<Gate> gates;
  std::optional<double> timeout_s;  // of one run
  MemoryLayout layout = MemoryLayout::kernel;
  OutputTo output_to = OutputTo::pipe;
  bool same_output = false;  // a run that prints something else is reported
  bool ignore_failure = false;
  bool control = false;  // also runs the first command a second time in each block
  Format format = Format::text;
  bool markdown = false;
  std::string page;                // a file for a browser; empty: none
  std::string output;              // a file; empty: standard output
  std::string save;                // a file for all runs; empty: none
  std::string against;             // a saved file, in the first command's place; empty: none
  std::vector<std::string> files;  // two saved files in the place of commands
};

}  // namespace tacho

// Slices: the counts and the traced records of one stretch of simulated time, as the simulator
// sends them (docs/explanation/simulator.md).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tacho {

// The kinds of records in the trace of a simulation that samples.
namespace traced {
struct TakenBranch {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t cycles = 0;  // since the branch before; 0: not known
  std::uint8_t kind = 0;     // PERF_BR_* of Linux
  bool mispredicted = false;
};
struct Sample {
  std::uint64_t event = 0;  // the number of the sampled event, from 0
  std::uint64_t period = 0;
  std::uint64_t ip = 0;
  std::vector<TakenBranch> branches;   // newest first
  std::vector<std::uint64_t> callers;  // the return address of each call, innermost first
};
struct CodeMapping {
  std::uint64_t start = 0, length = 0, offset = 0;
  std::string path;  // empty: no file
};
struct ThreadName {
  bool of_program = false;  // the thread has just begun to execute this program
  std::string text;
};
struct ThreadStart {
  std::uint32_t parent_process = 0, parent_thread = 0;
};
struct ThreadEnd {};
}  // namespace traced

struct TraceRecord {
  std::uint64_t cycle = 0;  // of the slice
  std::uint32_t thread = 0;
  std::variant<traced::Sample, traced::CodeMapping, traced::ThreadName, traced::ThreadStart,
               traced::ThreadEnd>
      what;
};

// The work of one process in one stretch of simulated time.
struct Slice {
  std::uint32_t process = 0;
  std::vector<std::uint64_t> counts;  // one for each column
  std::vector<TraceRecord> trace;     // in order of time; empty unless the simulation samples
};

}  // namespace tacho

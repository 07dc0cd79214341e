// simulation: the software PMU's other half. CPU models as data, what the simulator is told, and
// the records that it sends back. Nothing here knows of perf events or of Valgrind's inside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// Which entry of a set has to go.
enum class Replacement {
  lru,          // the least recently used
  round_robin,  // each in turn; a hit changes nothing
  random,  // any, drawn from a fixed seed, so that a run can be repeated; a hit changes nothing
};

struct CacheModel {
  std::uint64_t size = 0;  // bytes; a whole number of sets
  unsigned ways = 1;       // 1 to 64
  unsigned line = 64;      // bytes, a power of two from 32 to 256
  Replacement replacement = Replacement::lru;
  bool write_allocate = true;  // a store that misses brings the line in
  unsigned latency = 1;        // cycles from a load's issue to the use of what it found here
};

// Translations of pages. ways == entries: fully associative.
struct TlbModel {
  unsigned entries = 0;  // a power of two of sets × ways
  unsigned ways = 1;     // 1 to 64, or `entries` up to 4096
  unsigned victims = 0;  // fully associative entries, LRU, that take what the others let go; of the
                         // main TLB only
  Replacement replacement = Replacement::lru;
  unsigned latency = 0;  // cycles added when a translation has to come from here
};

enum class Direction {
  fixed,    // backward taken, forward not taken
  bimodal,  // 2-bit counters by address (J. E. Smith, ISCA 1981)
  gshare,   // 2-bit counters by address XOR global history (S. McFarling, DEC WRL TN-36, 1993)
};

struct BranchModel {
  Direction direction = Direction::bimodal;
  unsigned entries = 0;  // counters, a power of two up to 1 Mi; 0 when fixed
  unsigned history = 0;  // bits, up to 20; gshare only
  unsigned targets = 0;  // direct-mapped entries for indirect jumps' last targets, a power of two;
                         // 0: they are always mispredicted
  unsigned returns = 0;  // depth of the return stack, up to 64
  unsigned mispredict = 0;  // cycles that a misprediction costs
};

// Cycles from an instruction's issue to the use of its result; loads have their cache's.
struct Latencies {
  unsigned integer = 1;
  unsigned multiply = 1;
  unsigned divide = 1;
  unsigned float_add = 1;  // also conversions and comparisons; scalar and vector alike
  unsigned float_multiply = 1;
  unsigned float_divide = 1;  // and square roots
};

// A processor core with its caches: what it needs to be simulated. Instructions issue in order,
// up to `issue_width` a cycle, and wait for operands; a miss stops everything for the cycles that
// exceed `hidden`, which stands for what an out-of-order core finds to do meanwhile.
struct CpuModel {
  std::string name;
  std::string description;           // a line
  std::string set;                   // the event set to count by default; empty: the usual one
  std::vector<std::string> sources;  // where the figures come from
  std::uint64_t frequency_hz = 0;
  unsigned issue_width = 1;    // 1 to 8
  bool in_order = true;        // false: operands are not waited for within a straight run of code
  unsigned hidden = 0;         // cycles of each miss that other work hides
  unsigned store_percent = 0;  // of a missing store's latency that is waited for, 0 to 100
  Latencies latencies;
  CacheModel l1i;
  CacheModel l1d;
  std::optional<CacheModel> l2;  // unified
  std::optional<CacheModel> l3;  // unified; only with l2
  unsigned memory_latency = 0;   // cycles from a load's issue to use, translation known
  unsigned page = 4096;          // bytes, a power of two
  TlbModel itlb;                 // the micro (first-level) TLBs
  TlbModel dtlb;
  std::optional<TlbModel> main_tlb;  // unified, behind both
  unsigned walk_latency = 0;         // cycles of a page table walk, added
  BranchModel branch;
};

// Reads a model from TOML text. Errors name `path`, the line and the reason.
Result<CpuModel> parse_model(std::string_view text, const std::string& path);

// This machine's caches as sysfs tells under `sysfs` ("/sys", with proc/ beside it), with figures
// of a present-day core where it tells nothing; `sources` says which is which.
Result<CpuModel> host_model(const std::string& sysfs = "/sys");

// The model in the lines that the simulator reads (docs/explanation/simulator.md), with the lengths
// of slices: one lasts 1/512 of the simulated time so far, within these bounds in nanoseconds.
std::string to_simulator_input(const CpuModel&, std::uint64_t shortest_slice_ns,
                               std::uint64_t longest_slice_ns);

}  // namespace tacho

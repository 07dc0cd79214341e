// The model of a processor that the simulator simulates. The room simulation has the models, the
// input of the simulator and the records that it sends back. It does not know perf events or the
// inside of Valgrind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cycles_error.hpp"
#include "simulation/operations.hpp"

namespace tacho {

// The entry of a set that is replaced.
enum class Replacement {
  lru,          // the least recently used
  round_robin,  // each in turn; hits do not count
  random,       // drawn with a fixed seed, to make runs repeatable; hits do not count
};

struct CacheModel {
  std::uint64_t size = 0;  // bytes; a multiple of a set's size
  unsigned ways = 1;       // 1 to 64
  unsigned line = 64;      // bytes, a power of two from 32 to 256
  Replacement replacement = Replacement::lru;
  bool write_allocate = true;  // a store that misses brings the line in
  unsigned latency = 1;        // cycles from a load's issue to the use of its value, if it hits
  unsigned bandwidth = 0;      // of L2 and L3: bytes a cycle that it sends at most; 0: not limited
};

// A cache of page translations. It is fully associative if ways == entries.
struct TlbModel {
  unsigned entries = 0;  // a power of two of sets × ways
  unsigned ways = 1;     // 1 to 64, or `entries` up to 4096
  unsigned victims = 0;  // size of the victim cache (fully associative, LRU); main TLB only
  Replacement replacement = Replacement::lru;
  unsigned latency = 0;  // cycles added to an access whose translation is found here
};

enum class Direction {
  fixed,    // backward taken, forward not taken
  bimodal,  // 2-bit counters by address (J. E. Smith, ISCA 1981)
  gshare,   // 2-bit counters by address XOR global history (S. McFarling, DEC WRL TN-36, 1993)
  tage,     // tagged tables for histories of several lengths (A. Seznec, P. Michaud, JILP 8, 2006)
};

// What direction `tage` has beside the counters, which are its base.
struct TageModel {
  std::vector<unsigned> histories;  // in branches, rising: up to 8 tables of up to 128 branches
  unsigned table_entries = 0;       // of each table, a power of two
  unsigned loops = 0;  // entries of the loop predictor (A. Seznec, JILP 9, 2007), a power of two;
                       // 0: there is none
};

struct BranchModel {
  Direction direction = Direction::bimodal;
  unsigned entries = 0;  // counters, a power of two up to 1 Mi; 0 when fixed
  unsigned history = 0;  // bits, up to 20; gshare only
  TageModel tage;        // tage only
  unsigned targets = 0;  // direct-mapped entries for the last targets of indirect jumps, a power of
                         // two; 0: indirect jumps are always mispredicted
  unsigned returns = 0;  // depth of the return stack, up to 64
  unsigned mispredict = 0;  // cost of a misprediction in cycles
};

// The hardware prefetcher of the second level. It follows streams: lines of one page that are
// requested one after the other.
struct PrefetcherModel {
  unsigned streams = 0;      // that it follows at a time, up to 64; 0: there is no prefetcher
  unsigned distance = 0;     // in lines: how far it asks ahead of a request
  unsigned line_cycles = 0;  // between two prefetched lines that memory sends
};

// Cycles from an instruction's issue to the use of its result on an in-order core. Loads have the
// latency of their cache.
struct Latencies {
  unsigned integer = 1;
  unsigned multiply = 1;
  unsigned divide = 1;
  unsigned float_add = 1;  // also conversions and comparisons, scalar and vector
  unsigned float_multiply = 1;
  unsigned float_divide = 1;  // also square roots
};

// How far an out-of-order core goes on while it waits for data.
struct WindowModel {
  unsigned instructions = 1;  // in flight: entries of the reorder buffer
  unsigned misses = 1;        // lines that the first level has asked for at a time
  unsigned stores = 1;        // entries of the store buffer
  unsigned walks = 1;         // page table walks at a time
};

// A processor core with its caches. Up to `issue_width` instructions issue in a cycle. On an
// in-order core they wait for their operands, and a miss stops the core.
struct CpuModel {
  std::string name;
  std::string description;           // one line
  std::string set;                   // the default event set; empty: the usual one
  std::vector<std::string> sources;  // the documents that the figures come from
  std::uint64_t frequency_hz = 0;
  unsigned issue_width = 1;  // 1 to 8
  bool in_order = true;
  unsigned store_percent = 0;   // share of a missing store's latency for which an in-order core
                                // waits, 0 to 100
  Latencies latencies;          // of an in-order core
  Operations operations;        // of an out-of-order core
  WindowModel window;           // of an out-of-order core
  bool fuses_memory = false;    // an operation and its load, and the two halves of a store, issue
                                // as one micro-operation
  bool fuses_branches = false;  // a comparison and the branch behind it are one
  CacheModel l1i;
  CacheModel l1d;
  std::optional<CacheModel> l2;      // unified
  std::optional<CacheModel> l3;      // unified; only with l2
  unsigned memory_latency = 0;       // cycles from a load's issue to the use of its value
  unsigned page = 4096;              // bytes, a power of two
  PrefetcherModel prefetcher;        // only with l2
  TlbModel itlb;                     // the micro (first-level) TLB of instructions
  TlbModel dtlb;                     // the micro TLB of data
  std::optional<TlbModel> main_tlb;  // unified, second level
  unsigned walk_latency = 0;         // cycles that a page table walk adds
  BranchModel branch;
  std::optional<CyclesError> cycles_error;  // if it was measured
};

}  // namespace tacho

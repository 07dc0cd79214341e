// What the inference starts from: timed lists, filled caches, and what the machine advertises.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stats/histogram.hpp"

namespace tacho {

// Where the elements of a list are in memory.
enum class Layout {
  packed,    // cache lines side by side, visited in random cyclic order
  spread,    // one line on each page, at a place that uses all sets of L1 and L2 alike, also if the
             // pages are side by side
  repeated,  // one word on each page; all pages show the same few pages of memory
};

std::string_view to_string(Layout);

// The measurement of one list. Several samples may have the same size.
struct LatencySample {
  std::uint64_t bytes = 0;       // memory that the list touches: lines times line size, or words
  std::uint64_t lines = 0;       // elements of the list; one on each page unless it is packed
  std::uint64_t page_bytes = 0;  // size of the pages that were obtained
  Layout layout = Layout::packed;
  Histogram singles;           // ticks of one load between two readings of the clock, with the bias
  Histogram blocks;            // ticks of `block_loads` dependent loads, with the bias
  unsigned block_loads = 0;    // 0: no blocks were timed
  double step = 1;             // ticks by which the clock usually advances
  Histogram bias;              // ticks of an empty pair of readings, at this list; may be empty
  double cycles_per_tick = 1;  // of the core's clock, measured beside this list
  // Ticks of a load in a long chain that is timed as a whole, the fastest of several. The samples
  // must agree with it where the whole chain stays in the nearest caches. 0: not measured.
  double chain_ticks = 0;
  double disturbed_share = 0;  // share (0 to 1) of the kept slices that were disturbed
  std::string disturbance;     // the cause, for people; empty: none
  bool core_shared = false;    // another thread used the core and its caches meanwhile
};

// A data or unified cache that the machine advertises (sysfs).
struct AdvertisedCache {
  unsigned level = 0;
  std::uint64_t bytes = 0;
  unsigned ways = 0;  // 0: unknown
  unsigned line_bytes = 0;
};

struct AdvertisedTlb {
  unsigned level = 0;
  std::uint64_t page_bytes = 0;
  std::uint64_t entries = 0;
};

// What is known about the machine without a measurement.
struct Advertised {
  std::vector<AdvertisedCache> caches;
  std::vector<AdvertisedTlb> tlb = {};
};

// One filling of a cache, page by page.
struct CacheFill {
  unsigned cache = 0;     // which of the filled caches: all its fillings have the same number
  double bytes = 0;       // that it held at once
  double page_bytes = 0;  // of the pages that it was filled with
  double hit_cycles = 0;  // of a load that found its line there, among the lines of one page
};

}  // namespace tacho

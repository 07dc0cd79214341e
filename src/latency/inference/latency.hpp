// Latency: from histograms of timed loads to what a load costs at each level of the memory
// hierarchy. Plain values in, plain values out; docs/explanation/latency-inference.md has the
// method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/histogram.hpp"

namespace tacho {

// How the lines of a list lie in memory.
enum class Layout {
  packed,    // side by side, visited in random cyclic order
  spread,    // one a page, each at a place in its page so that all sets of the first and the second
             // level are used alike, also by pages that lie side by side
  repeated,  // one word a page, where all pages show the same few of memory again and again
};

std::string_view to_string(Layout);

// What was measured with a list of one size. The same size may come several times.
struct LatencySample {
  std::uint64_t bytes = 0;  // of memory touched as caches advertise capacity: lines · line size
  std::uint64_t lines = 0;  // length of the cycle: the number of pages, but with packed ones
  std::uint64_t page_bytes = 0;  // really obtained
  Layout layout = Layout::packed;
  Histogram singles;  // ticks of one load between two readings of the clock, bias included
  Histogram blocks;   // ticks of `block_loads` dependent loads, bias included: for fast tiers
  unsigned block_loads = 0;    // 0: none were timed
  double step = 1;             // ticks that the clock goes on by at once, as a rule
  Histogram bias;              // ticks of the empty pair, in place at this size; may be empty
  double cycles_per_tick = 1;  // calibrated beside this size
  double disturbed_share = 0;  // of the time it took, 0…1: stolen, or on a clock that moved
  std::string disturbance;     // by what, for people; empty: nothing
  bool core_shared = false;    // another thread used the core meanwhile, and its caches
};

// One data or unified cache as the kernel describes it (sysfs), from level 1 up.
struct AdvertisedCache {
  unsigned level = 0;
  std::uint64_t bytes = 0;
  unsigned ways = 0;  // 0: not known
  unsigned line_bytes = 0;
};

struct AdvertisedTlb {
  unsigned level = 0;
  std::uint64_t page_bytes = 0;
  std::uint64_t entries = 0;
};

// What is known of the machine without measuring.
struct Advertised {
  std::vector<AdvertisedCache> caches;
  std::vector<AdvertisedTlb> tlb = {};
};

// What a level held at once when it was filled page by page, with other pages each time.
struct HeldLines {
  double about_bytes = 0;  // that it was expected to hold: the same of all fillings of a level
  double bytes = 0;
  double page_bytes = 0;  // by which it was filled
  double hit_cycles = 0;  // of a load that found its line there, with others of the same page
};

struct Interval {  // 95 %
  double low = 0;
  double high = 0;
};

// A peak of the single loads of one size, bias removed.
struct LatencyMode {
  double cycles = 0;
  Interval range;    // of the peak's middle nine tenths
  double share = 0;  // of the loads
};

struct SizeLatency {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint64_t page_bytes = 0;
  std::uint64_t tlb_page_bytes = 0;  // the pages that the TLB sees: see find_tlb
  Layout layout = Layout::packed;
  double cycles = 0;  // of a typical load: robust location, bias removed
  double ci95 = 0;    // half-width, cycles
  double ns = 0;
  double bias_ticks = 0;
  std::uint64_t samples = 0;       // timed pairs behind `cycles`
  bool from_blocks = false;        // `cycles` is from blocks, not from single loads
  std::vector<LatencyMode> modes;  // of single loads, by rising time; empty without them
  // Of the single loads, those of peaks that lie twice as far up or half as far, or farther, and
  // that the clock can tell apart: the list stands in two levels, and may be told with either.
  double other_levels_share = 0;
  std::optional<std::string> disturbed;  // why it is flagged; tiers are then drawn without it
  bool core_shared = false;  // as the sample; where most sizes are, tiers are drawn from them
};

inline constexpr std::string_view kCoreShared = "another thread used the core";

// What a reader of one size should know, from `disturbed`, `core_shared` and `other_levels_share`
// of a tenth or more; empty: nothing.
std::string remark(const SizeLatency&);

struct Tier {
  std::string name;                               // "L1", "L2", …, "memory"
  std::string condition;                          // "L1 hit", "memory, TLB miss"
  double capacity_bytes = 0;                      // effective; not of the last tier
  std::optional<Interval> capacity;               // none for the last tier: no end was seen
  std::optional<std::uint64_t> advertised_bytes;  // of the cache of that level
  std::optional<unsigned> advertised_ways;
  double cycles = 0;
  double ci95_cycles = 0;
  double ns = 0;
  std::size_t sizes = 0;                   // undisturbed sizes behind it
  double least_bytes = 0, most_bytes = 0;  // of them
  // What a load costs more on small pages, where sizes were measured on small and on huge ones:
  // first-level TLB misses in a small tier, page walks in a large one.
  std::optional<double> small_pages_extra_cycles;
};

// A level of the TLB, for pages of `page_bytes`.
struct TlbTier {
  std::string name;  // "L1 TLB", "L2 TLB"
  std::uint64_t page_bytes = 0;
  double entries = 0;  // reach in pages
  Interval entries_interval;
  double hit_extra_cycles = 0;   // a load that hits here, over one that hits the first level
  double miss_extra_cycles = 0;  // a load that misses here, over one that hits the first level
  double ci95_cycles = 0;        // of miss_extra_cycles
  std::optional<std::uint64_t> advertised_entries = {};
};

struct BiasFound {
  double ticks = 0;            // median over the sizes
  double least = 0, most = 0;  // its drift over the sizes
};

struct LatencyInference {
  std::vector<SizeLatency> sizes;  // one a sample, in the order given
  std::vector<Tier> tiers;         // from the fastest; packed lists, on the largest pages there are
  std::vector<TlbTier> tlb;        // first level first; empty when no reach was seen
  BiasFound bias;
  double core_hz = 0;  // median over undisturbed sizes; 0: there are none
  double tick_hz = 0;
  std::vector<std::string> warnings;
};

// Needs tick_hz > 0. Samples without singles and blocks give a warning and no figure. A level that
// was filled has the capacity that it held; others have what the latency over size tells.
LatencyInference infer_latency(std::span<const LatencySample>, const Advertised&, double tick_hz,
                               std::span<const HeldLines> = {});

// What to measure next so that edges are known to within the share `within`: bytes of packed lists,
// and pages of spread lists, by rising size, whole multiples of `line_bytes`. Empty when all edges
// are, or when nothing between what was measured would help. Start with two to four sizes an
// octave, measure what this asks for, infer again; three rounds are enough for 5 %.
struct SizesToRefine {
  std::vector<std::uint64_t> packed_bytes;
  std::vector<std::uint64_t> spread_pages;
};
SizesToRefine sizes_to_refine(const LatencyInference&, double within, std::uint64_t line_bytes);

}  // namespace tacho

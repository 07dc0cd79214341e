// The results of the inference: the latency of each list, and the levels of caches and TLBs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "latency/inference/samples.hpp"

namespace tacho {

struct Interval {  // 95 %
  double low = 0;
  double high = 0;
};

// A peak of the single loads of one list, without the bias.
struct LatencyMode {
  double cycles = 0;
  Interval range;    // the middle nine tenths of the peak
  double share = 0;  // of the loads
};

// The latency of one list.
struct SizeLatency {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint64_t page_bytes = 0;
  std::uint64_t tlb_page_bytes = 0;  // size of the pages that the TLB holds: see find_tlb
  Layout layout = Layout::packed;
  double cycles = 0;  // of a typical load: robust location without the bias
  double ci95 = 0;    // half-width, cycles
  double ns = 0;
  double bias_ticks = 0;
  std::uint64_t samples = 0;       // timed pairs behind `cycles`
  bool from_blocks = false;        // `cycles` comes from blocks instead of single loads
  std::vector<LatencyMode> modes;  // of single loads, by rising time; empty without them
  // Share of the single loads in peaks at half of `cycles` or less, or at twice or more, if the
  // clock can tell them apart. Such a list is in two levels.
  double other_levels_share = 0;
  std::optional<std::string> disturbed;  // the reason; no level is drawn from such a list
  bool core_shared = false;  // copied from the sample; such lists are used if most lists have it
};

enum class TierKind {
  cache,
  cache_or_memory,  // the lists do not show which
  memory,
  // Slower than the level before it, without an advertised cache: the TLB's reach, perhaps.
  unexplained,
};

struct Tier {
  std::string name;  // "L1", "L2", …, "memory"
  TierKind kind = TierKind::cache;
  bool tlb_subtracted = false;            // the cost of TLB misses was subtracted
  double capacity_bytes = 0;              // effective; not for the last tier
  std::optional<Interval> capacity = {};  // none for the last tier: its end is not seen
  std::optional<std::uint64_t> advertised_bytes = {};  // of the cache of that level
  std::optional<unsigned> advertised_ways = {};
  double cycles = 0;
  double ci95_cycles = 0;
  double ns = 0;
  std::size_t sizes = 0;                   // undisturbed lists behind it
  double least_bytes = 0, most_bytes = 0;  // range of these lists
  // Extra cycles of a load on small pages, if lists were measured on small and on huge ones:
  // first-level TLB misses in a small tier, page walks in a large one.
  std::optional<double> small_pages_extra_cycles = {};
};

// A level of the TLB, for pages of `page_bytes`.
struct TlbTier {
  std::string name;  // "L1 TLB", "L2 TLB"
  std::uint64_t page_bytes = 0;
  double entries = 0;
  Interval entries_interval;
  double hit_extra_cycles = 0;   // of a hit in this level, compared with a first-level hit
  double miss_extra_cycles = 0;  // of a miss in this level, compared with a first-level hit
  double ci95_cycles = 0;        // of miss_extra_cycles
  std::optional<std::uint64_t> advertised_entries = {};
};

struct BiasFound {
  double ticks = 0;            // median over the lists
  double least = 0, most = 0;  // its range over the lists
};

struct LatencyInference {
  std::vector<SizeLatency> sizes;  // one for each sample, in the order given
  std::vector<Tier> tiers;         // fastest first; from packed lists on the largest pages
  std::vector<TlbTier> tlb;        // first level first; empty if no end was seen
  BiasFound bias;
  double core_hz = 0;  // median over undisturbed lists; 0: there are none
  double tick_hz = 0;
  std::vector<std::string> warnings;
};

}  // namespace tacho

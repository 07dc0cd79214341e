// Every constant that tunes how `tacho latency` measures and infers, with its unit and its reason.
//
// The constants were chosen on real machines with bench/latency.py, and on machines drawn at random
// (tests/unit/latency_machines_test.cpp), unless a comment names another source. The parts of
// docs/explanation/latency-inference.md and latency-measurement.md have the names of the groups.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tacho {

// One latency for each list (list_latency.cpp).
struct ListRules {
  // Single loads that take less are measured by blocks: a single load is known to a few ticks only,
  // because the clock steps and the empty pair overlaps with the load.
  double fast_ticks = 40;
  double fast_steps = 10;  // the same, in steps of the clock
  // A list that was disturbed for a larger share of the time is not used: the location is that of
  // 40 % of the samples, and may be that of the disturbance.
  double most_disturbed = 0.5;
  // Two peaks of single loads are two levels if they differ by a factor of 2 and by this.
  double levels_apart_cycles = 10;
  double levels_apart_steps = 1.5;  // of the clock: one step and its noise
  double two_levels_share = 0.1;    // of the loads: a list with more in another level says so
};

// The curve of the latency over the size (curve.cpp).
struct CurveRules {
  double lists_differ = 0.03;     // share of the latency by which lists of one level differ
  double mixtures_differ = 0.08;  // the same, if blocks mix levels: see is_mixture
  std::size_t enough_lists = 8;   // on pages of one size, for a curve of their own
  // A list is disturbed if it is slower by this factor than longer lists, or than itself at another
  // time.
  double slower = 1.3;
  double usual_spacing = 0.25;  // octaves between two lists; closer ones share their weight
  // The cost of TLB misses is subtracted from lists on huge pages if it is this share of the
  // latency: less is not worth an average of blocks in place of a location.
  double tlb_matters = 0.05;
  double tlb_known_to = 0.1;  // share of the subtracted cost that is its error
  double least_left = 0.1;    // share of the latency that is left at least after subtraction
};

// Levels: plateaus of that curve (tiers.cpp).
struct TierRules {
  double least_ratio = 1.4;    // of the latencies of two levels; less is one level
  double least_octaves = 0.9;  // of a level, from its first list to its last: a factor of 1.87
  // Between the ends of two levels there is a step of this ratio; less is a slope of one level.
  double least_step = 1.14;
  std::size_t end_lists = 3;  // that make the end of a level
  // If there are more levels than advertised caches and memory, two are one below this ratio.
  double unadvertised_ratio = 2;
  double behind_filled_octaves = 0.3;  // lists beyond a filled cache of which some lines still hit
  double same_level_ratio = 1.3;       // lists behind a filled cache that belong to one level
  double clear_of_edges = 1.5;         // factor from an edge, to compare pages: sets fill
                                       // differently on small and on huge pages
  double tlb_subtracted = 0.05;        // share of a level's latency that is worth mentioning
  double nearest_cache_octaves = 0.5;  // from an edge to the advertised cache that it belongs to
  std::uint64_t least_page_bytes = 4096;  // an L1 whose ways are no larger fills its sets in turn
};

// The share of loads that miss a level, and the edge where it is one half (tiers.cpp).
struct MissRules {
  // A miss takes at least this much longer than a hit, or else the share comes from blocks.
  double surely_cycles = 20;
  double surely_steps = 1.5;      // of the clock
  double surely_tlb = 1.5;        // times the most that the TLB may add
  double least_error = 0.03;      // of a share
  double disturbed_more = 0.25;   // by which a share may exceed another of the same list
  double near_end_octaves = 0.8;  // lists of the slower level that show what a miss costs
};

// From the edge to the capacity (capacity.cpp). The factors of one bit a line were simulated.
struct CapacityRules {
  // With one bit a line, half of the loads miss at these multiples of the capacity, for W ways:
  double in_turn_one_bit = 0.9;     // 1 + this / W, if sets fill in turn
  double at_random_one_bit = 1.05;  // this + the next one / W, if they fill at random
  double at_random_one_bit_per_way = 0.3;
  // Sets fill in turn if three quarters of the loads miss at less than this multiple of the size at
  // which one quarter does: between 1 + 1.8 / W (in turn) and 1.22 + 3.2 / W (at random).
  double steep = 1.11;  // this + the next one / W
  double steep_per_way = 2.5;
  double steep_unknown_ways = 1.2;  // the same, if the ways are unknown
  double usual_ways = 8;            // of a cache with unknown ways
};

// Caches that were filled (filled_caches.cpp).
struct FilledRules {
  std::size_t fewest_fillings = 3;
  // Latency of a load among the lines of one page, as a factor of that in a random list:
  // prefetchers make it faster, other threads on the core slower.
  double least_hit = 0.5;
  double most_hit = 1.3;
};

// Names, and advertised sizes (level_names.cpp).
struct NameRules {
  double agrees = 1.25;  // ratio of a found and an advertised size
  // If no caches are advertised, a level that only larger lists show is memory.
  double beyond_caches_bytes = 64 << 20;
};

// The TLB, from spread and packed lists (tlb.cpp).
struct TlbRules {
  std::size_t most_levels = 2;  // beyond these, page tables leave the caches
  double pair_differs = 0.4;    // cycles by which a spread and a packed list differ without cause
  double walks_differ = 0.05;   // share of what a page costs
  double blocks_differ = 0.08;  // the same, measured by blocks, of which some loads pay
  double least_share_error = 0.02;
  double disturbed_more = 0.1;  // by which a share may exceed another of the same list
  double least_ratio = 1.5;     // of a load in two levels; less is one level
  double least_octaves = 0.7;   // of a level, from its first list to its last: a factor of 1.62
  // Huge pages that a hypervisor backs with small ones:
  double visible_cycles = 1.5;  // small pages must cost this much more to compare the two
  double no_cheaper = 0.5;      // huge pages that save a smaller share of that are small ones
  std::size_t fewest_pairs = 2;
  double from_within = 0.4;  // lists from this multiple of the first level's entries
  double within = 0.9;       // up to this one are within its reach
  double little_beyond = 2;  // and lists up to this one are a little beyond
  // A single load missed if it takes longer than a hit by the greatest of these:
  double walk_cycles = 10;
  double walk_steps = 1.5;   // of the clock
  double walk_share = 0.15;  // of the hit's time, because walks differ
  double few_others = 0.2;   // share of a packed list's loads that may take another time
  double near_begin = 1.75;  // times the pages at which a level begins: farther on it costs more
  double settled = 1.5;      // times the entries, from which on nearly all pages miss
  std::size_t fewest_settled = 3;
};

// The second level of the TLB, from repeated lists (second_tlb_level.cpp).
struct SecondTlbRules {
  double hits_from = 2;  // times the first level's entries: lists that hit the second level
  double hits_to = 4;
  double end_of_hits = 1.3;  // times the latency of these hits, which ends the level
  double fit_from = 0.25;    // times the pages at which it ends: lists that the fit uses
  double fit_to = 2;
  double lists_differ = 0.02;  // share of the latency
  double uneven = 1.05;        // factor to either side of the result: pages that lie side by side
                               // need not fill all sets alike
  double words_from = 0.4;  // times the first level's entries: lists that show the cost of a word
  double words_to = 0.9;
  double neighbours = 1.2;     // no list costs more than those of up to this multiple of its pages
  double most_subtracted = 4;  // times the cost of a word, for words beyond the first cache
  std::array<double, 3> ways = {4, 8, 16};  // that are tried
};

// Which lists to add (refine.cpp).
struct RefineRules {
  double rises = 1.2;    // ratio of the latencies of two neighbours that are in different levels
  double coarse = 1.25;  // ratio of their sizes that is too coarse then
  double wide = 1.5;     // ratio of their sizes between which three lists are added instead of one
};

// Which lists are measured on this machine, and when to stop (survey.cpp, native_survey.cpp,
// native_prober.cpp).
struct SurveyRules {
  int refinements = 3;             // rounds of adding lists: enough for 5 %
  double edges_within = 0.05;      // to which edges have to be known
  std::size_t least_bytes = 4096;  // of packed lists
  std::size_t least_pages = 8;     // of spread lists
  std::size_t most_pages = 8192;
  unsigned spread_an_octave = 4;
  std::size_t least_repeated = 16;  // pages of repeated lists
  std::size_t most_repeated = 16384;
  unsigned repeated_an_octave = 8;
  unsigned repeated_near_end = 16;  // the same, from half to twice the entries
  std::size_t placements = 4;       // of repeated lists, at different addresses
  // Repeated lists are walked this often first: a TLB that replaces at random needs it until all
  // entries have their place.
  std::size_t repeated_walks = 32;
  double near_tlb_end = 1.4;      // factor from the end of a TLB level: such lists are doubtful
  double remeasured_apart = 1.1;  // ratio of two samples of one list that flags it
  int more_tries = 2;             // of a list that is disturbed or doubtful
  double much_disturbed = 0.2;    // share of the time that is worth another try
  // The whole should take seconds. Time since its begin, and the longest wait for undisturbed
  // slices of one list:
  std::chrono::milliseconds usual_wait{50};
  std::chrono::milliseconds long_already{5000};
  std::chrono::milliseconds short_wait{12};
  std::chrono::milliseconds late{7000};
  std::chrono::milliseconds late_wait{4};
  std::chrono::milliseconds too_late{11'000};  // no list is measured again from then on
  // The largest list, unless the user chooses it:
  std::size_t least_most_bytes = std::size_t{64} << 20U;
  std::size_t most_most_bytes = std::size_t{1} << 30U;
};

// Lists of a simulated processor (simulated_prober.cpp, measure_model.cpp).
struct SimulationRules {
  std::size_t least_bytes = 1024;
  std::size_t least_pages = 2;
  std::size_t least_steps = 200'000;  // the starts of two walks differ by some 1,000 cycles
  std::size_t most_steps = 400'000;
  unsigned block_loads = 1000;  // a tick of a block is a thousandth of a cycle a load
  std::uint64_t blocks = 100;   // all are the same
  int refinements = 3;
};

// Memory and the way through it (memory.cpp, route.cpp, streams.cpp).
struct MemoryRules {
  double mostly_huge = 0.95;  // share of the memory that has to be in huge pages
  // Repeated pages are touched in steps of this many pages: neighbours must not get neighbouring
  // memory, which some TLBs hold in one entry.
  std::size_t touch_stride = 13;
  // The kernel empties the TLB if a process loses rights to pages that are farther apart than it
  // flushes one by one: 33 on x86 (arch/x86/mm/tlb.c), 512 on 64-bit ARM
  // (arch/arm64/include/asm/tlbflush.h).
  std::size_t tlb_flush_pages = 1024;
  std::size_t lines_between_stops = std::size_t{1}
                                    << 14U;        // lines between two questions whether to stop
  std::size_t near_lines = std::size_t{1} << 12U;  // of lists that are walked whole before a slice
  std::size_t route_stride = 7919;  // lines between two starts: a prime, so that every line is one
  std::size_t stream_words_between_stops = std::size_t{1} << 16U;
};

// The samples of one list (sampler.cpp, slices.cpp).
struct SampleRules {
  std::size_t singles = 2048;
  std::size_t blocks = 512;
  std::size_t own_lines = std::size_t{1} << 15U;  // if no caches are advertised
  // A list is walked this often first, or for this time. A line that a cache still holds of a
  // longer list was loaded in this time, and comes up again only after a whole traversal.
  std::size_t walks = 2;
  std::chrono::milliseconds warming{150};
  std::size_t steps_between_stops = std::size_t{1} << 14U;
  double fastest_load_cycles = 3;  // of all cores: a block of these must last long enough
  // The core's clock, by chains of additions whose latency is known:
  std::size_t chain_steps = std::size_t{1} << 12U;
  int chains = 9;               // of which the fastest counts
  double clock_moved = 0.02;    // share by which it may change during a list
  double chains_uneven = 0.05;  // spread of two chains above which the clock is unknown
  double chains_even = 0.0025;  // spread below which no other try is needed
  int clock_tries = 4;
  // Slices:
  std::size_t slice = 64;        // samples
  double enough = 0.25;          // share of the wanted samples: disturbed slices complete it
  double slow_factor = 1.5;      // of the usual time: such a slice was interrupted,
  std::uint64_t slow_ns = 4000;  // if it also took this much longer; memory itself delays less
  // Another thread shares the core if reading the clock takes longer than it ever took alone, by
  // this share or by these steps of the clock:
  double shared_more = 0.15;
  double shared_steps = 1.5;
  double shared_quantile = 0.8;  // of a slice's readings: a thread that ran for a fifth of it shows
};

// The clock (timer.cpp).
struct ClockRules {
  int readings = 4096;      // that show its step
  unsigned most_work = 16;  // loop passes between two readings, so that only the step is regular
  double block_steps = 50;  // of the clock, that a block of the fastest loads lasts
  double call_ns = 50;      // error of a clock that is a system call
  double most_block_times = 64;
  std::size_t rate_stretches = 9;  // of about 100 µs, whose median is the cycle counter's rate
};

// Filling a cache page by page (fill_level.cpp, cache_filling.cpp).
struct FillRules {
  std::size_t at_once = 16;  // pages that are tried together at first
  // Times the latency of a hit: a page with a slower load is refused. With one line too many, a set
  // of 16 ways with random replacement misses one load in eight traversals, and a miss takes at
  // least twice as long as a hit.
  double refused = 1.06;
  // Pages refused in a row that show a full cache. With 32 kinds of pages, the last kind that has
  // room is missing among so many pages once in twenty fillings: (31/32)^96 = 0.05.
  std::size_t refusals = 96;
  std::size_t few_refusals = 32;            // the same while several pages are tried together
  std::size_t fillings = 5;                 // on different pages
  std::chrono::milliseconds longest{1000};  // of one filling
  std::size_t choice = 3;                   // times the expected capacity: pages to choose from
  std::size_t first = 3;     // times the capacity of the cache before: pages to begin with
  std::size_t settling = 4;  // visits until a set with random replacement has settled
  std::size_t visits = 8;    // that are timed
};

// Parallel walks, and round trips between CPUs (parallel_chases.cpp, round_trips.cpp).
struct ParallelRules {
  std::size_t stretches = 101;
  std::size_t stretch_blocks = 8;  // of kBlock accesses
  std::chrono::milliseconds warming{50};
  double fastest = 0.2;   // quantile of the stretches: the slower ones may have met other work
  unsigned series = 200;  // of round trips
  unsigned trips = 50;    // of a series
  std::chrono::seconds longest{2};  // for one pair of CPUs, on a busy machine
  unsigned patience = 1U << 14U;    // looks before the CPU is yielded
};

struct LatencyRules {
  ListRules list;
  CurveRules curve;
  TierRules tier;
  MissRules miss;
  CapacityRules capacity;
  FilledRules filled;
  NameRules name;
  TlbRules tlb;
  SecondTlbRules second_tlb;
  RefineRules refine;
  SurveyRules survey;
  SimulationRules simulation;
  MemoryRules memory;
  SampleRules sample;
  ClockRules clock;
  FillRules fill;
  ParallelRules parallel;
};
inline constexpr LatencyRules kLatencyRules;

}  // namespace tacho

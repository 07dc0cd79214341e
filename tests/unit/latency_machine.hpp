// A synthetic machine with a known memory hierarchy, and the times of loads on it: the truth for
// tests of the latency inference. It shares no code with the inference.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "latency/inference/results.hpp"

namespace tacho::synthetic {

inline constexpr double kLine = 64;
inline constexpr double kUsualCyclesPerTick = 1.4;
inline constexpr double kOwnClock = 70;  // cycles

// How the lines of a list are distributed over the sets of a cache.
enum class Placement { in_turn, by_page, hashed };

// What a set knows about its lines when it replaces one: their order of use, one bit for each
// (PLRUm: whether it was used since all bits were set), or nothing.
enum class Policy { least_recent, one_bit, at_random };

struct Cache {
  double bytes = 0;
  unsigned ways = 8;
  double cycles = 0;
  Placement placement = Placement::in_turn;
  Policy policy = Policy::least_recent;
};

// The share of `lines`, visited in a cycle, that a set of so many ways with one bit a line misses.
inline double missed_of_set(unsigned ways, unsigned lines) {
  constexpr unsigned kCycles = 60;
  constexpr unsigned kSettling = 30;
  std::vector<unsigned> held;
  std::vector<bool> used;
  unsigned missed = 0;
  for (unsigned i = 0; i < kCycles * lines; ++i) {
    auto at = static_cast<std::size_t>(std::ranges::find(held, i % lines) - held.begin());
    if (at == held.size()) {
      if (i >= kSettling * lines) ++missed;
      if (held.size() < ways) {
        held.push_back(0);
        used.push_back(false);
      } else {
        at = static_cast<std::size_t>(std::ranges::find(used, false) - used.begin());
      }
      held[at] = i % lines;
    }
    used[at] = true;
    if (held.size() == ways && std::ranges::find(used, false) == used.end()) {
      used.assign(ways, false);
      used[at] = true;
    }
  }
  return static_cast<double>(missed) / ((kCycles - kSettling) * lines);
}

// The same with random replacement: a line is still there if no miss since its last use has
// replaced it.
inline double missed_at_random(unsigned ways, double lines) {
  double missed = 1;
  for (int i = 0; i < 100; ++i) missed = 1 - std::pow(1 - 1.0 / ways, lines * missed);
  return missed;
}

// If more pages than entries are visited in a cycle, a TLB with LRU misses all of them.
struct Tlb {
  double entries = 0;
  double cycles = 0;  // that a miss adds
  unsigned ways = 0;  // 0: any entry holds any page
  Policy policy = Policy::least_recent;
  // Share of `cycles` that each doubling beyond the entries adds, for spread and repeated lists.
  double walks_grow = 0;
};

struct Machine {
  std::vector<Cache> caches;
  double memory_cycles = 100;
  std::vector<Tlb> tlb;
  bool repeats = false;  // several pages can show the same memory
  double page_bytes = 4096;
  double bias_ticks = 44;
  double bias_drift = 0;  // ticks, at the largest size
  double step = 1;        // of the counter
  double noise = 0.02;    // standard deviation of a load, as a share of it
  double outliers = 0.02;
  double disturbed = 0;  // share of the lists that are disturbed, and flagged
  bool clock_moves = false;
  double clock = 1;  // the core's clock as a factor of its usual one, if it does not move
};

class Bench {
 public:
  Bench(const Machine& machine, std::uint64_t seed) : machine_(machine), random_(seed) {}

  LatencySample packed(std::uint64_t bytes) { return measure(bytes, Layout::packed); }
  LatencySample spread(std::uint64_t pages) {
    return measure(pages * static_cast<std::uint64_t>(kLine), Layout::spread);
  }

  // One word of eight bytes on each page; all pages show the same memory.
  LatencySample repeated(std::uint64_t pages) {
    return measure(pages * sizeof(std::uint64_t), Layout::repeated);
  }

  // The share of n lines, visited in a cycle, that a cache misses. In sets with more lines than
  // ways, LRU misses all lines, and other policies some.
  double missing(const Cache& cache, double lines) {
    const double sets = cache.bytes / kLine / cache.ways;
    if (cache.placement == Placement::hashed) return missing_of_poisson(cache, lines / sets);
    double bins = sets;    // what fills: sets, or pages of one colour
    double items = lines;  // with lines, or pages
    if (cache.placement == Placement::by_page) {
      bins = std::max(1.0, sets * kLine / machine_.page_bytes);
      items = std::ceil(lines * kLine / machine_.page_bytes);
    }
    std::vector<double> held(static_cast<std::size_t>(bins), std::floor(items / bins));
    if (cache.placement == Placement::in_turn) {
      const double more = items - held[0] * bins;
      return (more * (held[0] + 1) * of_set(cache, held[0] + 1) +
              (bins - more) * held[0] * of_set(cache, held[0])) /
             items;
    }
    std::ranges::fill(held, 0);
    for (double i = 0; i < items; ++i) held[static_cast<std::size_t>(uniform() * bins)] += 1;
    double over = 0;
    for (const double h : held) over += h * of_set(cache, h);
    return over / items;
  }

  // The same for pages and a TLB. Pages side by side are spread evenly over its sets.
  static double missing(const Tlb& tlb, double pages) {
    if (pages <= tlb.entries) return 0;
    if (tlb.policy == Policy::at_random)
      return missed_at_random(tlb.ways == 0 ? 64 : tlb.ways,
                              pages * (tlb.ways == 0 ? 64 : tlb.ways) / tlb.entries);
    if (tlb.ways == 0) return 1;
    const double more = pages - tlb.entries;  // sets that hold one page too many
    return more >= tlb.entries / tlb.ways ? 1 : more * (tlb.ways + 1) / pages;
  }

 private:
  double of_set(const Cache& cache, double lines) {
    if (lines <= cache.ways) return 0;
    if (cache.policy == Policy::at_random) return missed_at_random(cache.ways, lines);
    if (cache.policy == Policy::least_recent || lines > 4 * cache.ways) return 1;
    const auto whole = static_cast<unsigned>(lines);
    const auto [at, fresh] = of_sets_.try_emplace({cache.ways, whole});
    if (fresh) at->second = missed_of_set(cache.ways, whole);
    return at->second;
  }

  // With random placement: Poisson(mean) other lines are in the set of a given line.
  double missing_of_poisson(const Cache& cache, double mean) {
    if (mean > 4 * cache.ways + 20) return 1;
    double others = std::exp(-mean);  // the probability of k of them
    double found = 0;
    for (unsigned k = 0; k < 8 * cache.ways; ++k, others *= mean / k)
      found += others * (1 - of_set(cache, k + 1));
    return std::clamp(1 - found, 0.0, 1.0);
  }

  LatencySample measure(std::uint64_t bytes, Layout layout) {
    LatencySample sample;
    sample.bytes = bytes;
    sample.lines = bytes / (layout == Layout::repeated ? sizeof(std::uint64_t)
                                                       : static_cast<std::uint64_t>(kLine));
    sample.page_bytes = static_cast<std::uint64_t>(machine_.page_bytes);
    sample.layout = layout;
    sample.cycles_per_tick =
        kUsualCyclesPerTick * (machine_.clock_moves ? 0.85 + 0.3 * uniform() : machine_.clock);
    const double lines = std::ceil(static_cast<double>(bytes) / kLine);

    // The latency and the share of each kind of load: hits in each cache, and memory.
    std::vector<double> cycles;
    std::vector<double> share;
    double left = 1;
    for (const Cache& cache : machine_.caches) {
      const double missed = std::min(left, missing(cache, lines));
      cycles.push_back(cache.cycles);
      share.push_back(left - missed);
      left = missed;
    }
    cycles.push_back(machine_.memory_cycles);
    share.push_back(left);

    const double pages = layout == Layout::packed ? lines * kLine / machine_.page_bytes
                                                  : static_cast<double>(sample.lines);
    std::vector<double> tlb_missing;
    for (const Tlb& tlb : machine_.tlb)
      // Packed lists visit their pages at random: a full TLB then holds what it has room for.
      tlb_missing.push_back(layout == Layout::packed ? std::max(0.0, 1 - tlb.entries / pages)
                                                     : missing(tlb, pages));
    const bool disturbed = uniform() < machine_.disturbed;
    if (disturbed) {
      sample.disturbed_share = 0.6;
      sample.disturbance = "another program ran";
    }
    const double bias = machine_.bias_ticks + machine_.bias_drift * std::log2(lines) / 24;
    const auto one_load = [&] {
      double at = uniform();
      std::size_t kind = 0;
      while (kind + 1 < share.size() && at >= share[kind]) at -= share[kind++];
      // Slow parts have a clock of their own: their time does not depend on the core's clock.
      double load = cycles[kind];
      if (load > kOwnClock) load *= sample.cycles_per_tick / kUsualCyclesPerTick;
      for (std::size_t level = 0; level < tlb_missing.size(); ++level) {
        const Tlb& tlb = machine_.tlb[level];
        if (uniform() < tlb_missing[level])
          load += tlb.cycles *
                  (layout == Layout::packed
                       ? 1
                       : 1 + tlb.walks_grow * std::max(0.0, std::log2(pages / tlb.entries)));
      }
      if (disturbed && uniform() < 0.7) load *= 3;
      return load * (1 + machine_.noise * normal()) / sample.cycles_per_tick;
    };
    const auto outlier = [&] {
      return uniform() < machine_.outliers ? -2000 * std::log(1 - uniform()) : 0.0;
    };
    const auto count = [&](Histogram& into, double ticks) {
      // Two readings, each a whole number.
      const double begin = 1e6 * uniform();
      const double steps = std::floor(begin + std::max(0.0, ticks) / machine_.step);
      into.add(static_cast<std::uint64_t>(steps * machine_.step) -
               static_cast<std::uint64_t>(std::floor(begin) * machine_.step));
    };
    for (int i = 0; i < 1000; ++i) count(sample.singles, one_load() + bias + outlier());
    for (int i = 0; i < 100; ++i) count(sample.bias, bias + 0.5 * normal() + outlier());
    // A block of the fastest loads lasts some tens of steps of the counter.
    sample.step = machine_.step;
    sample.block_loads = sample.step > 2 ? static_cast<unsigned>(24 * sample.step) : 16;
    const int blocks = sample.step > 2 ? 48 : 128;  // long ones take time to generate
    for (int i = 0; i < blocks; ++i) {
      double block = bias + outlier();
      for (unsigned k = 0; k < sample.block_loads; ++k) block += one_load();
      count(sample.blocks, block);
    }
    return sample;
  }

  // A number in [0, 1), and a sum of such numbers with mean 0 and variance 1: fast, and nearly
  // normal.
  double uniform() {  // SplitMix64 (G. L. Steele and others, OOPSLA 2014)
    random_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = (random_ ^ (random_ >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double normal() { return (uniform() + uniform() + uniform() - 1.5) * 2; }

  const Machine& machine_;
  std::uint64_t random_;
  std::map<std::pair<unsigned, unsigned>, double> of_sets_;  // by ways and lines
};

// The sizes that a sweep begins with: `an_octave` from 4 KiB to `most`, in whole lines.
inline std::vector<std::uint64_t> sweep(double most, int an_octave) {
  std::vector<std::uint64_t> sizes;
  for (int i = 0;; ++i) {
    const double bytes = 4096 * std::exp2(static_cast<double>(i) / an_octave);
    if (bytes > most * 1.001) return sizes;
    sizes.push_back(static_cast<std::uint64_t>(std::round(bytes / kLine) * kLine));
  }
}

}  // namespace tacho::synthetic

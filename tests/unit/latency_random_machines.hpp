// Machines drawn at random, and what the inference finds on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "latency/inference/infer.hpp"
#include "latency/inference/refine.hpp"
#include "latency_machine.hpp"

namespace tacho::synthetic {

inline constexpr double kTickHz = 2.6e9;
inline constexpr double kMost = 256 * 1024 * 1024;

// Zero to three caches, each at least eight times as large and twice as slow as the one before,
// with its own placement and replacement; pages of 4 KiB with a TLB, or of 2 MiB.
inline Machine draw(std::mt19937_64& random) {
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<>(0, 1)(random));
  };
  const auto one_of = [&](int n) { return std::uniform_int_distribution<>(0, n - 1)(random); };
  Machine machine;
  const bool huge = one_of(2) == 0;
  machine.page_bytes = huge ? 2 * 1024 * 1024 : 4096;
  double cycles = between(2, 6);
  double bytes = 0;
  const int caches = one_of(4);
  for (int level = 0; level < caches; ++level) {
    Cache cache;
    if (level == 0) {  // indexed within a page, as first levels are
      cache.ways = 4U << one_of(3);
      bytes = 4096.0 * cache.ways;
    } else {
      cache.ways = 8U << one_of(2);
      bytes = std::min(bytes * (8U << one_of(3)), 16.0 * 1024 * 1024);
      const Placement uneven[] = {Placement::by_page, Placement::hashed};
      cache.placement = huge && level == 1            ? Placement::in_turn
                        : bytes < 1024 * 1024 || huge ? Placement::hashed
                                                      : uneven[one_of(2)];
      cache.policy = one_of(2) == 0 ? Policy::least_recent : Policy::one_bit;
    }
    cache.bytes = bytes;
    cache.cycles = cycles;
    machine.caches.push_back(cache);
    cycles *= between(2, 8);
  }
  machine.memory_cycles = caches == 0 ? between(20, 600) : cycles;
  if (!huge && caches > 0) {
    machine.memory_cycles = std::max(machine.memory_cycles, 90.0);
    machine.tlb = {{between(32, 128), between(5, 10)},
                   {between(600, 2500), between(20, machine.memory_cycles / 2)}};
  }
  machine.bias_ticks = between(5, 80);
  machine.bias_drift = 30.0 * one_of(2);
  machine.step = 1 + one_of(2);
  machine.noise = between(0.005, 0.05);
  machine.outliers = between(0.001, 0.1);
  machine.disturbed = one_of(2) == 0 ? 0 : 0.1;
  // The inference can't know which clock a load of about 60 cycles depends on.
  const auto doubtful = [](double load) { return load > 45 && load < 85; };
  machine.clock_moves = one_of(2) == 0 && !doubtful(machine.memory_cycles) &&
                        std::ranges::none_of(machine.caches, doubtful, &Cache::cycles);
  return machine;
}

inline Advertised ways_of(const Machine& machine) {
  Advertised advertised;
  for (const Cache& cache : machine.caches)
    advertised.caches.push_back({static_cast<unsigned>(advertised.caches.size() + 1),
                                 static_cast<std::uint64_t>(cache.bytes), cache.ways, 64});
  return advertised;
}

inline LatencyInference measure(const Machine& machine, std::uint64_t seed) {
  Bench bench(machine, seed);
  std::vector<LatencySample> samples;
  for (const auto bytes : sweep(kMost, 3)) samples.push_back(bench.packed(bytes));
  if (!machine.tlb.empty())
    for (int i = 0; i <= 30; ++i)
      samples.push_back(bench.spread(static_cast<std::uint64_t>(8 * std::exp2(i / 3.0))));
  if (machine.repeats)
    for (int i = 0; i <= 160; ++i)
      samples.push_back(bench.repeated(static_cast<std::uint64_t>(16 * std::exp2(i / 16.0))));
  const Advertised advertised = ways_of(machine);
  LatencyInference found = infer_latency(samples, advertised, kTickHz);
  for (int round = 0; round < 2; ++round) {
    const SizesToRefine next = sizes_to_refine(found, 0.05, 64);
    for (const auto bytes : next.packed_bytes) samples.push_back(bench.packed(bytes));
    for (const auto pages : next.spread_pages) samples.push_back(bench.spread(pages));
    found = infer_latency(samples, advertised, kTickHz);
  }
  return found;
}

// AMD's TSC steps by 20 to 38 ticks, every 10 ns.
inline void make_coarse(Machine& machine, std::mt19937_64& random) {
  machine.step = std::uniform_real_distribution<>(20, 38)(random);
}

// Second levels of the TLB with either replacement policy, and walks that take longer and longer.
inline void make_repeating(Machine& machine, std::mt19937_64& random) {
  if (machine.tlb.empty()) return;
  const auto one_of = [&](int n) { return std::uniform_int_distribution<>(0, n - 1)(random); };
  machine.repeats = true;
  Tlb& second = machine.tlb[1];
  second.ways = 4U << one_of(3);
  second.policy = one_of(2) == 0 ? Policy::least_recent : Policy::at_random;
  second.entries = second.ways * std::round(second.entries / second.ways);
  second.walks_grow = std::uniform_real_distribution<>(0, 0.15)(random);
}

}  // namespace tacho::synthetic

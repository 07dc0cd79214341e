// Latency inference on machines drawn at random: it finds their levels, and no others.
// TACHO_MACHINES sets their number. 300 without a failure show that at least 99 % succeed
// (the rule of three: 3 / 300).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "latency/inference/infer.hpp"
#include "latency/inference/refine.hpp"
#include "latency_interval_scores.hpp"
#include "latency_random_machines.hpp"

namespace tacho::TEST_FILE {
namespace {

using synthetic::Bench;
using synthetic::Cache;
using synthetic::kMost;
using synthetic::kTickHz;
using synthetic::Machine;
using synthetic::Placement;
using synthetic::Policy;
using synthetic::ways_of;

int machines() {
  const char* asked = std::getenv("TACHO_MACHINES");
  return asked != nullptr ? std::atoi(asked) : 300;
}

// The differences between the machine and the inference; empty: none.
//
// Tolerances: latencies of levels 5 % (and 5 % of a walk, if there is a TLB to subtract),
// capacities 10 % (15 % with a TLB; 5 % more if sets fill at random, because their policy is then
// unknown), entries of the TLB 15 %, its costs 20 % or 2 cycles.
std::string faults(const Machine& machine, const LatencyInference& found) {
  std::string wrong;
  const auto near = [&](const std::string& what, double value, double truth, double part,
                        double least) {
    if (std::fabs(value - truth) > std::max(part * truth, least))
      wrong += fmt::format(" {} is {:.5g}, not {:.5g};", what, value, truth);
  };
  if (found.tiers.size() != machine.caches.size() + 1) {
    wrong += fmt::format(" {} tiers, not {}:", found.tiers.size(), machine.caches.size() + 1);
    for (const Tier& tier : found.tiers)
      wrong +=
          fmt::format(" {} {:.0f} B {:.4g} cycles,", tier.name, tier.capacity_bytes, tier.cycles);
    return wrong;
  }
  const double tlb = machine.tlb.empty() ? 0 : 0.05 * machine.tlb[1].cycles;
  for (std::size_t k = 0; k < found.tiers.size(); ++k) {
    const bool last = k == machine.caches.size();
    double cycles = last ? machine.memory_cycles : machine.caches[k].cycles;
    // A part with a clock of its own takes more cycles of a faster core.
    if (cycles > synthetic::kOwnClock)
      cycles *= found.core_hz / kTickHz / synthetic::kUsualCyclesPerTick;
    near(found.tiers[k].name + " cycles", found.tiers[k].cycles, cycles, 0.05, 0.2 + tlb);
    near(found.tiers[k].name + " ns", found.tiers[k].ns, cycles / found.core_hz * 1e9, 0.05,
         (0.2 + tlb) / found.core_hz * 1e9);
    if (!last)
      near(found.tiers[k].name + " capacity", found.tiers[k].capacity_bytes,
           machine.caches[k].bytes,
           (machine.tlb.empty() ? 0.1 : 0.15) +
               (machine.caches[k].placement == Placement::in_turn ? 0 : 0.05),
           0);
  }
  if (found.tlb.size() != machine.tlb.size()) {
    wrong += fmt::format(" {} TLBs, not {}:", found.tlb.size(), machine.tlb.size());
    for (const TlbTier& tier : found.tlb)
      wrong += fmt::format(" {:.0f} entries {:.1f} cycles,", tier.entries, tier.miss_extra_cycles);
    return wrong;
  }
  double extra = 0;
  for (std::size_t k = 0; k < found.tlb.size(); ++k) {
    near(found.tlb[k].name + " entries", found.tlb[k].entries, machine.tlb[k].entries, 0.15, 0);
    near(found.tlb[k].name + " hit", found.tlb[k].hit_extra_cycles, extra, 0.2, 2);
    extra += machine.tlb[k].cycles;
    near(found.tlb[k].name + " miss", found.tlb[k].miss_extra_cycles, extra, 0.2, 2);
  }
  return wrong;
}

std::string described(const Machine& machine) {
  std::string text = fmt::format("pages {}, step {}, noise {:.3f}, outliers {:.3f}, disturbed {}, ",
                                 machine.page_bytes, machine.step, machine.noise, machine.outliers,
                                 machine.disturbed);
  for (const Cache& cache : machine.caches)
    text += fmt::format("{} KiB {} ways {:.2f} cycles ({}), ", cache.bytes / 1024, cache.ways,
                        cache.cycles, static_cast<int>(cache.placement));
  for (const synthetic::Tlb& tlb : machine.tlb)
    text += fmt::format("TLB {:.0f} +{:.1f}, ", tlb.entries, tlb.cycles);
  return text + fmt::format("memory {:.1f}", machine.memory_cycles);
}

// The number of failed machines after `made` has changed them, and their differences.
template <class Made>
int failed_of(int count, std::uint64_t seed, const Made& made, std::string& failures) {
  std::mt19937_64 random(seed);
  int failed = 0;
  for (int i = 0; i < count; ++i) {
    Machine machine = synthetic::draw(random);
    made(machine, random);
    const std::string wrong = faults(machine, synthetic::measure(machine, random()));
    if (wrong.empty()) continue;
    ++failed;
    failures += fmt::format("machine {} ({}):{}\n", i, described(machine), wrong);
  }
  testing::Test::RecordProperty("failed", failed);
  if (std::getenv("TACHO_MACHINES") != nullptr)
    fmt::print("{} of {} machines failed\n{}", failed, count, failures);
  return failed;
}

TEST(LatencyMachines, TiersAndTlbsOfAtLeast99In100AreFoundAndNoOthers) {
  std::string failures;
  const int failed = failed_of(machines(), 20'261'121, [](Machine&, std::mt19937_64&) {}, failures);
  EXPECT_LE(failed * 100, machines()) << failures;
}

// AMD's TSC steps by 20 to 38 ticks, every 10 ns.
TEST(LatencyMachines, AClockThatStepsFarShowsThemToo) {
  std::string failures;
  const int count = machines() / 3;
  const int failed = failed_of(count, 20'261'122, synthetic::make_coarse, failures);
  EXPECT_LE(failed * 10, count) << failures;
}

// Second levels of the TLB with either replacement policy, and walks that take longer and longer:
// here a spread list shows no level behind the entries.
TEST(LatencyMachines, RepeatedListsShowTheSecondLevelOfTheTlb) {
  std::string failures;
  const int count = machines() / 3;
  const int failed = failed_of(count, 20'261'123, synthetic::make_repeating, failures);
  EXPECT_LE(failed * 20, count) << failures;
}

// 100 machines have 70 to 100 intervals of each figure. If 95 % hold, fewer than 87 % come once in
// 1,000 times. bench/part_coverage prints more of them.
TEST(LatencyMachines, IntervalsHoldTheTruthAlsoIfWalksDiffer) {
  for (const auto& [figure, score] :
       synthetic::score_machines(synthetic::make_repeating, 100, 20'261'124)) {
    EXPECT_GE(score.intervals(), 60U) << figure;
    EXPECT_GE(score.held(), 0.87) << figure;
    if (figure.ends_with("cycles")) {
      EXPECT_LE(score.width(), 0.05) << figure;
    }
  }
}

// Like an AMD EPYC of the fifth generation, of whose L3 this guest has a part.
Machine epyc(double l3_bytes, double memory_cycles) {
  Machine machine;
  machine.page_bytes = 2 * 1024 * 1024;
  machine.step = 26;
  machine.caches = {{.bytes = 48 * 1024, .ways = 12, .cycles = 4},
                    {.bytes = 1024 * 1024, .ways = 16, .cycles = 14, .policy = Policy::at_random},
                    {.bytes = l3_bytes, .ways = 16, .cycles = 47, .placement = Placement::hashed}};
  machine.memory_cycles = memory_cycles;
  return machine;
}

// L2 has a long ramp, on which most sizes are measured, several times each.
TEST(LatencyMachines, TheRampOfACacheThatKeepsSomeLinesIsNoLevelAndHidesNone) {
  const Machine machine = epyc(10 * 1024 * 1024, 550);
  constexpr std::uint64_t kSeeds = 20;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Bench bench(machine, seed);
    std::vector<LatencySample> samples;
    for (const auto bytes : synthetic::sweep(kMost, 2)) samples.push_back(bench.packed(bytes));
    const auto found = [&] { return infer_latency(samples, ways_of(machine), kTickHz); };
    for (int round = 0; round < 3; ++round)
      for (const auto bytes : sizes_to_refine(found(), 0.05, 64).packed_bytes)
        samples.push_back(bench.packed(bytes));
    for (int placement = 0; placement < 4; ++placement)
      for (std::uint64_t bytes = 700 * 1024; bytes < 2400 * 1024; bytes += bytes / 20)
        samples.push_back(bench.packed(bytes / 64 * 64));
    const LatencyInference inference = found();
    ASSERT_EQ(inference.tiers.size(), 4U) << "seed " << seed;
    EXPECT_NEAR(inference.tiers[1].cycles, 14, 0.7) << "seed " << seed;
    EXPECT_NEAR(inference.tiers[2].cycles, 47, 4.7) << "seed " << seed;
  }
}

// Neighbours leave 2.6 MiB of the L3: a level of less than 1.5 octaves, most of it on L2's ramp.
// The filling of L2 shows where L2 ends, and that a level is behind it.
TEST(LatencyMachines, AFilledLevelEndsWhereItWasFullAndShowsAShortOneBehindIt) {
  const Machine machine = epyc(2600 * 1024, 530);
  Advertised advertised = ways_of(machine);
  advertised.caches[2].bytes = 32 * 1024 * 1024;
  const std::vector<CacheFill> fills(5, {0, 1024 * 1024, 4096, 10});
  constexpr std::uint64_t kSeeds = 20;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Bench bench(machine, seed);
    std::vector<LatencySample> samples;
    for (const auto bytes : synthetic::sweep(kMost, 2)) samples.push_back(bench.packed(bytes));
    for (int round = 0; round < 3; ++round)
      for (const auto bytes :
           sizes_to_refine(infer_latency(samples, advertised, kTickHz), 0.05, 64).packed_bytes)
        samples.push_back(bench.packed(bytes));
    const LatencyInference found = infer_latency(samples, advertised, kTickHz, fills);
    ASSERT_EQ(found.tiers.size(), 4U) << "seed " << seed;
    EXPECT_EQ(found.tiers[1].capacity_bytes, 1024 * 1024) << "seed " << seed;
    EXPECT_EQ(found.tiers[2].name, "L3") << "seed " << seed;
    EXPECT_NEAR(found.tiers[2].cycles, 47, 0.3 * 47) << "seed " << seed;
    EXPECT_NEAR(found.tiers[2].capacity_bytes, 2600 * 1024, 0.2 * 2600 * 1024) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE

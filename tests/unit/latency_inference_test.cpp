// Latency inference on inputs that a reader can follow: the first published histograms of single
// loads, and machines with one difficulty each.
#include "latency/inference/infer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "latency/inference/level_names.hpp"
#include "latency/inference/list_latency.hpp"
#include "latency/inference/refine.hpp"
#include "latency/inference/tlb.hpp"
#include "latency_machine.hpp"

namespace tacho::TEST_FILE {
namespace {

using synthetic::Bench;
using synthetic::Cache;
using synthetic::Machine;
using synthetic::Placement;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// An ARM1176 (Raspberry Pi 1): single loads, timed with its cycle counter.
LatencySample arm1176(std::uint64_t kilobytes, std::initializer_list<Histogram::Bin> bins) {
  LatencySample sample;
  sample.bytes = kilobytes * 1024;
  sample.lines = sample.bytes / 32;
  sample.page_bytes = 4096;
  for (const auto& bin : bins) sample.singles.add(bin.value, bin.count);
  return sample;
}

std::vector<LatencySample> arm1176() {
  return {
      arm1176(8, {{9, 1000}}),
      arm1176(
          64,
          {{9, 49}, {17, 1}, {61, 320}, {62, 571}, {63, 11}, {64, 4}, {65, 1}, {69, 1}, {70, 27}}),
      arm1176(1024, {{113, 4},
                     {116, 224},
                     {117, 23},
                     {118, 59},
                     {119, 129},
                     {120, 5},
                     {121, 224},
                     {122, 185},
                     {125, 4},
                     {130, 9},
                     {132, 7},
                     {133, 18},
                     {135, 5}})};
}

LatencyInference infer_arm1176() {
  Advertised advertised;
  advertised.caches = {{.level = 1, .bytes = 16 * 1024, .ways = 4, .line_bytes = 32}};
  std::vector<LatencySample> samples = arm1176();
  // A first-level hit was timed at 9 cycles. It takes 3 (TRM, chapter 16).
  for (LatencySample& sample : samples) sample.bias.add(6, 1000);
  return infer_latency(samples, advertised, 700e6);
}

TEST(Latency, TheFirstPublishedHistogramsGiveTheirAuthorsAnswers) {
  const LatencyInference found = infer_arm1176();
  EXPECT_EQ(found.bias.ticks, 6);
  ASSERT_EQ(found.sizes.size(), 3U);
  EXPECT_EQ(std::lround(found.sizes[0].cycles), 3);
  EXPECT_EQ(std::lround(found.sizes[1].cycles), 56);
  EXPECT_EQ(std::lround(found.sizes[2].cycles), 116);
  for (const SizeLatency& size : found.sizes) {
    EXPECT_GE(size.ci95, 0.5);  // a counter of whole cycles shows no more
    EXPECT_LE(size.ci95, 3.5);
    EXPECT_FALSE(size.disturbed);
  }
  EXPECT_NEAR(found.sizes[1].ns, 56 / 0.7, 1e-9);
  EXPECT_THAT(found.tiers, IsEmpty());  // three sizes are too few for a level
  EXPECT_THAT(found.warnings, Contains(HasSubstr("3 undisturbed lists show no level")));
}

TEST(Latency, PeaksOfSingleLoadsAreReported) {
  const LatencyInference found = infer_arm1176();
  ASSERT_EQ(found.sizes[0].modes.size(), 1U);
  const auto& modes = found.sizes[1].modes;  // first-level hits, and memory at 61 to 62
  ASSERT_EQ(modes.size(), 2U);
  EXPECT_EQ(modes[0].cycles, 3);
  EXPECT_NEAR(modes[0].share, 49 / 985.0, 0.002);
  EXPECT_EQ(modes[1].range.low, 55);
  EXPECT_EQ(modes[1].range.high, 56);
  EXPECT_GT(modes[1].share, 0.9);
  EXPECT_NEAR(found.sizes[1].other_levels_share, modes[0].share, 1e-9);
  EXPECT_EQ(remark(found.sizes[1]), "");  // 5 %: too few to mention
  EXPECT_EQ(found.sizes[0].other_levels_share, 0);
  EXPECT_EQ(found.sizes[2].modes[0].range.low, 110);
  EXPECT_EQ(found.sizes[2].modes[0].range.high, 116);
}

TEST(Latency, AListInTwoLevelsSaysSo) {
  LatencySample sample = arm1176(64, {{9, 400}, {62, 571}, {113, 29}});
  sample.bias.add(6, 1000);
  const auto size = infer_latency({&sample, 1}, {}, 700e6).sizes.at(0);
  EXPECT_NEAR(size.cycles, 56, 1);
  EXPECT_NEAR(size.other_levels_share, 0.4, 0.05);
  EXPECT_EQ(remark(size), "40 % of the loads are another level's");
  // A clock with these steps can't tell 3 cycles from 56.
  sample.step = 40;
  EXPECT_EQ(infer_latency({&sample, 1}, {}, 700e6).sizes.at(0).other_levels_share, 0);
}

TEST(Latency, WithoutABiasAWarningSaysThatTimesIncludeTheClock) {
  const LatencyInference found = infer_latency(arm1176(), {}, 700e6);
  EXPECT_EQ(found.sizes[0].cycles, 9);
  EXPECT_THAT(found.warnings, Contains(HasSubstr("all times include it")));
}

// L1 48 KiB 5 cycles, L2 2 MiB 16, L3 130, memory 550.
Machine server() {
  Machine machine;
  machine.caches = {{48 * 1024, 12, 5, Placement::in_turn},
                    {2 * 1024 * 1024, 16, 16, Placement::in_turn},
                    {10 * 1024 * 1024, 16, 130, Placement::hashed}};
  machine.memory_cycles = 550;
  machine.page_bytes = 2 * 1024 * 1024;
  machine.step = 2;
  return machine;
}

Advertised server_advertised() {
  return {{{.level = 1, .bytes = 48 * 1024, .ways = 12, .line_bytes = 64},
           {.level = 2, .bytes = 2 * 1024 * 1024, .ways = 16, .line_bytes = 64},
           {.level = 3, .bytes = 480ULL * 1024 * 1024, .ways = 15, .line_bytes = 64}}};
}

std::vector<LatencySample> sweep_of(Bench& bench, double most = 256 * 1024 * 1024,
                                    int an_octave = 4) {
  std::vector<LatencySample> samples;
  for (const std::uint64_t bytes : synthetic::sweep(most, an_octave))
    samples.push_back(bench.packed(bytes));
  return samples;
}

TEST(Latency, TiersHaveTheNamesOfAdvertisedCachesAndAreComparedWithThem) {
  const Machine machine = server();
  Bench bench(machine, 1);
  const LatencyInference found = infer_latency(sweep_of(bench), server_advertised(), 2.6e9);
  ASSERT_EQ(found.tiers.size(), 4U);
  EXPECT_EQ(found.tiers[0].name, "L1");
  EXPECT_EQ(found.tiers[1].name, "L2");
  EXPECT_EQ(found.tiers[2].name, "L3");
  EXPECT_EQ(found.tiers[3].name, "memory");
  EXPECT_EQ(found.tiers[1].kind, TierKind::cache);
  EXPECT_FALSE(found.tiers[1].tlb_subtracted);
  EXPECT_EQ(found.tiers[2].advertised_bytes, 480ULL * 1024 * 1024);
  EXPECT_EQ(found.tiers[2].advertised_ways, 15U);
  EXPECT_FALSE(found.tiers[3].advertised_bytes);
  EXPECT_FALSE(found.tiers[3].capacity);
  // Only the third level differs from its advertised size.
  EXPECT_THAT(found.warnings, ::testing::ElementsAre(HasSubstr("480")));
}

// A small step is a slope of the last cache, which other guests may use, unless a cache is
// advertised.
TEST(Latency, AStepWithoutAnAdvertisedCacheIsALevelOnlyIfItIsLarge) {
  Machine machine = server();
  machine.caches = {{48 * 1024, 12, 5, Placement::in_turn},
                    {512 * 1024, 16, 14, Placement::in_turn},
                    {4 * 1024 * 1024, 16, 42, Placement::in_turn},
                    {32 * 1024 * 1024, 16, 72, Placement::in_turn}};
  Advertised three = {{{.level = 1, .bytes = 48 * 1024, .ways = 12, .line_bytes = 64},
                       {.level = 2, .bytes = 512 * 1024, .ways = 16, .line_bytes = 64},
                       {.level = 3, .bytes = 32 * 1024 * 1024, .ways = 16, .line_bytes = 64}}};
  const auto tiers_of = [&](const Advertised& advertised) {
    Bench bench(machine, 2);
    return infer_latency(sweep_of(bench), advertised, 2.6e9).tiers;
  };
  const auto joined = tiers_of(three);
  ASSERT_EQ(joined.size(), 4U);
  EXPECT_EQ(joined[2].name, "L3");
  EXPECT_NEAR(joined[2].capacity_bytes, 32e6 * 1.049, 3e6);
  EXPECT_EQ(tiers_of({}).size(), 5U);
  machine.caches[3].cycles = 90;
  EXPECT_EQ(tiers_of(three).size(), 5U);
}

TEST(Latency, FlatMemoryIsOneTier) {
  Machine machine = server();
  machine.caches.clear();
  Bench bench(machine, 2);
  const LatencyInference found = infer_latency(sweep_of(bench), {}, 2.6e9);
  ASSERT_EQ(found.tiers.size(), 1U);
  EXPECT_EQ(found.tiers[0].name, "memory");
  EXPECT_NEAR(found.tiers[0].cycles, 550, 11);
  EXPECT_THAT(found.warnings, IsEmpty());
}

TEST(Latency, DisturbedSizesAreFlaggedAndLeftOut) {
  const Machine machine = server();
  Bench bench(machine, 3);
  auto samples = sweep_of(bench);
  for (const std::size_t i : {3U, 22U, 23U, 24U}) {  // in L1, and in the middle of L2
    Histogram slower;
    for (const auto& bin : samples[i].singles.bins()) slower.add(bin.value * 3, bin.count);
    samples[i].singles = slower;
    samples[i].blocks = {};
    if (i == 3) continue;  // the inference finds it; the others have a flag
    samples[i].disturbed_share = 0.6;
    samples[i].disturbance = "the hypervisor ran something else";
  }
  const LatencyInference found = infer_latency(samples, server_advertised(), 2.6e9);
  ASSERT_EQ(found.tiers.size(), 4U);
  EXPECT_NEAR(found.tiers[1].cycles, 16, 0.5);
  EXPECT_EQ(found.sizes[22].disturbed, "the hypervisor ran something else for 60 % of the time");
  EXPECT_EQ(found.sizes[3].disturbed, "slower than longer lists");
  EXPECT_FALSE(found.sizes[4].disturbed);
  EXPECT_THAT(found.warnings, Contains(HasSubstr("4 of 65 lists were disturbed")));
}

TEST(Latency, TheFasterSampleOfOneListCounts) {
  const Machine machine = server();
  Bench bench(machine, 9);
  auto samples = sweep_of(bench);
  LatencySample again = samples[14];  // 45 KiB: within L1
  again.blocks = {};
  again.blocks.add(44 + 183, 40);  // 16 loads of 16 cycles, as in L2
  samples.push_back(again);
  const LatencyInference found = infer_latency(samples, server_advertised(), 2.6e9);
  EXPECT_EQ(found.sizes.back().disturbed, "slower than the same list at another time");
  ASSERT_TRUE(found.tiers.at(0).capacity);
  EXPECT_LT(found.tiers[0].capacity->low, found.tiers[0].capacity->high);
  EXPECT_NEAR(found.tiers[0].capacity_bytes, 48 * 1024, 0.1 * 48 * 1024);
}

// If sets fill at random, chance decides which lines find room. At an edge, unlucky lists are not
// left out; otherwise the edge would be too far out.
TEST(Latency, AtAnEdgeUnluckyListsAreNotLeftOut) {
  Machine machine = server();
  machine.page_bytes = 4096;
  machine.caches[1].placement = Placement::by_page;
  Bench bench(machine, 3);
  auto samples = sweep_of(bench);
  for (int placement = 0; placement < 5; ++placement)
    for (std::uint64_t kib = 1600; kib <= 2800; kib += 100)
      samples.push_back(bench.packed(kib * 1024));
  const LatencyInference found = infer_latency(samples, server_advertised(), 2.6e9);
  for (const SizeLatency& size : found.sizes)
    EXPECT_FALSE(size.bytes >= 2 * 1024 * 1024 && size.disturbed) << size.bytes;
  EXPECT_NEAR(found.tiers.at(1).capacity_bytes, 2 * 1024 * 1024, 0.1 * 2 * 1024 * 1024);
}

// The chain of additions was slowed down, and the loads after it were not.
TEST(Latency, AClockThatWasMeasuredTooSlowDoesNotMakeOtherListsSlow) {
  const Machine machine = server();
  Bench bench(machine, 1);
  std::vector<LatencySample> samples = sweep_of(bench);
  int wrong = 0;
  for (LatencySample& each : samples) {
    if (each.bytes < 150 * 1024 || wrong == 2) continue;
    each.cycles_per_tick *= 0.67;
    ++wrong;
  }
  const LatencyInference found = infer_latency(samples, server_advertised(), 2.6e9);
  for (const SizeLatency& size : found.sizes)
    EXPECT_FALSE(size.bytes < 150 * 1024 && size.disturbed) << size.bytes;
  ASSERT_EQ(found.tiers.size(), 4U);
  EXPECT_NEAR(found.tiers[0].capacity_bytes, 48 * 1024, 4.8 * 1024);
}

TEST(Latency, AnEdgeAmongMissingSizesDoesNotContradictTheAdvertisedSize) {
  const Machine machine = server();
  Bench bench(machine, 1);
  std::vector<LatencySample> samples = sweep_of(bench);
  std::erase_if(samples, [](const LatencySample& each) {
    return each.bytes > 44 * 1024 && each.bytes < 170 * 1024;
  });
  const LatencyInference found = infer_latency(samples, server_advertised(), 2.6e9);
  ASSERT_EQ(found.tiers.size(), 4U);
  EXPECT_LE(found.tiers[0].capacity->low, 48 * 1024);
  EXPECT_GE(found.tiers[0].capacity->high, 48 * 1024);
  EXPECT_THAT(found.warnings, Contains(HasSubstr("L1 ends anywhere from")));
  EXPECT_THAT(found.warnings, Not(Contains(HasSubstr("L1 behaves like"))));
}

TEST(Latency, ASweepThatEndsWithinTheLastCacheDoesNotCallItMemory) {
  const Machine machine = server();
  Bench bench(machine, 4);
  const auto l3 = infer_latency(sweep_of(bench, 6e6), server_advertised(), 2.6e9);
  ASSERT_EQ(l3.tiers.size(), 3U);
  EXPECT_EQ(l3.tiers[2].name, "L3 or memory");
  EXPECT_THAT(l3.warnings, Contains(HasSubstr("may be L3")));
  const auto l1 = infer_latency(sweep_of(bench, 32e3), server_advertised(), 2.6e9);
  ASSERT_EQ(l1.tiers.size(), 1U);
  EXPECT_EQ(l1.tiers[0].name, "L1");
}

// Without sysfs, or on a board whose device tree has no caches.
TEST(Latency, WithoutAdvertisedCachesAShortSweepIsNotMemory) {
  const Machine machine = server();
  Bench bench(machine, 4);
  const auto l1 = infer_latency(sweep_of(bench, 32e3), {}, 2.6e9);
  ASSERT_EQ(l1.tiers.size(), 1U);
  EXPECT_EQ(l1.tiers[0].name, "L1 or memory");
  EXPECT_THAT(l1.warnings, Contains(HasSubstr("no caches")));
  const auto l3 = infer_latency(sweep_of(bench, 6e6), {}, 2.6e9);
  ASSERT_EQ(l3.tiers.size(), 3U);
  EXPECT_EQ(l3.tiers[0].name, "L1");
  EXPECT_EQ(l3.tiers[2].name, "L3 or memory");
}

TEST(Latency, ALevelIsNamedAfterTheListsThatShowIt) {
  const Machine machine = server();
  Bench bench(machine, 4);
  const auto names_of = [&](std::initializer_list<std::uint64_t> kilobytes) {
    std::vector<LatencySample> samples;
    for (const std::uint64_t each : kilobytes) samples.push_back(bench.packed(each * 1024));
    std::vector<std::string> names;
    for (const Tier& tier : infer_latency(samples, server_advertised(), 2.6e9).tiers)
      names.push_back(tier.name);
    return names;
  };
  // One list that is much larger than the first level does not make its hits memory.
  EXPECT_THAT(names_of({4, 8, 16, 32, 1024}), ::testing::ElementsAre("L1"));
  // A level that no list of the second cache shows does not get its name.
  EXPECT_THAT(names_of({4, 8, 16, 32, 3072, 4096, 5120, 6144, 64 << 10, 128 << 10, 1 << 20}),
              ::testing::ElementsAre("L1", "L3", "memory"));
  EXPECT_THAT(names_of({16, 128, 256, 512}), ::testing::ElementsAre("L2"));
}

TEST(Latency, TheTlbIsSeparatedFromTheCaches) {
  Machine machine = server();
  machine.page_bytes = 4096;
  machine.tlb = {{96, 7}, {2048, 60}};
  Bench bench(machine, 5);
  auto samples = sweep_of(bench);
  for (double pages = 16; pages < 9000; pages *= 1.19)
    samples.push_back(bench.spread(static_cast<std::uint64_t>(pages)));
  const LatencyInference found = infer_latency(samples, server_advertised(), 2.6e9);
  ASSERT_EQ(found.tlb.size(), 2U);
  EXPECT_NEAR(found.tlb[0].entries, 96, 0.15 * 96);
  EXPECT_NEAR(found.tlb[0].miss_extra_cycles, 7, 1);
  EXPECT_NEAR(found.tlb[0].hit_extra_cycles, 0, 0.5);
  EXPECT_NEAR(found.tlb[1].entries, 2048, 0.15 * 2048);
  EXPECT_NEAR(found.tlb[1].hit_extra_cycles, 7, 1);
  EXPECT_NEAR(found.tlb[1].miss_extra_cycles, 67, 4);
  // Spread lists leave the L1 at 768 lines, which is no level of the TLB. Packed lists on 4 KiB
  // pages miss the TLB from 384 KiB on, which is no level of the caches.
  ASSERT_EQ(found.tiers.size(), 4U);
  EXPECT_NEAR(found.tiers[1].cycles, 16, 1.5);
  EXPECT_NEAR(found.tiers[3].cycles, 550, 30);
}

// Names depend only on the entries, and on the number of pages that were measured.
std::vector<TlbTier> named(std::vector<TlbTier> tlb, std::vector<std::string>& warnings) {
  SizeLatency longest;
  longest.layout = Layout::spread;
  longest.page_bytes = 4096;
  longest.lines = 8192;
  const AdvertisedTlb advertised[] = {{1, 4096, 72}, {2, 4096, 3072}};
  name_tlb(tlb, advertised, {&longest, 1}, warnings);
  return tlb;
}

TEST(Latency, LevelsOfTheTlbAreComparedWithAdvertisedOnes) {
  std::vector<std::string> warnings;
  const auto both = named({{"L1 TLB", 4096, 75, {73, 76}, 0, 8, 1, {}},
                           {"L2 TLB", 4096, 3500, {3300, 3700}, 8, 60, 4, {}}},
                          warnings);
  EXPECT_EQ(both[0].advertised_entries, 72U);
  EXPECT_EQ(both[1].advertised_entries, 3072U);
  EXPECT_THAT(warnings, ::testing::IsEmpty());

  const auto half = named({{"L1 TLB", 4096, 36, {35, 37}, 0, 8, 1, {}}}, warnings);
  EXPECT_EQ(half[0].advertised_entries, 72U);
  EXPECT_THAT(warnings, ::testing::ElementsAre(
                            HasSubstr("L1 TLB behaves like 36 entries, not like the advertised 72"),
                            HasSubstr("L2 TLB (3072 entries advertised) shows no end")));

  warnings.clear();
  const auto second = named({{"L1 TLB", 4096, 2900, {2500, 3300}, 0, 50, 4, {}}}, warnings);
  EXPECT_EQ(second[0].name, "L2 TLB");
  EXPECT_THAT(warnings, ::testing::ElementsAre(HasSubstr("L1 TLB (72 entries advertised)")));
}

// The server with huge pages, and the machine `small`.
LatencyInference on_both_pages(const Machine& small) {
  const Machine huge = server();
  Bench on_huge(huge, 6);
  Bench on_small(small, 7);
  auto samples = sweep_of(on_huge);
  const auto more = sweep_of(on_small);
  samples.insert(samples.end(), more.begin(), more.end());
  return infer_latency(samples, server_advertised(), 2.6e9);
}

TEST(Latency, SmallAndHugePagesShowTheCostOfAWalk) {
  Machine small = server();
  small.page_bytes = 4096;
  small.tlb = {{96, 7}, {2048, 60}};
  const LatencyInference found = on_both_pages(small);
  ASSERT_EQ(found.tiers.size(), 4U);
  EXPECT_NEAR(found.tiers[3].cycles, 550, 10);  // from the huge pages
  ASSERT_TRUE(found.tiers[3].small_pages_extra_cycles);
  EXPECT_NEAR(*found.tiers[3].small_pages_extra_cycles, 60, 12);
  EXPECT_NEAR(found.tiers[0].small_pages_extra_cycles.value_or(99), 0, 0.5);
}

TEST(Latency, ASlowerCoreAddsNothingToTheCostOfSmallPages) {
  Machine small = server();
  small.page_bytes = 4096;
  small.clock = 0.85;
  const LatencyInference found = on_both_pages(small);
  ASSERT_EQ(found.tiers.size(), 4U);
  for (const Tier& tier : found.tiers)
    EXPECT_NEAR(tier.small_pages_extra_cycles.value_or(99), 0, 0.02 * tier.cycles) << tier.name;
}

constexpr std::uint64_t kHugePage = 2 * 1024 * 1024;

// A machine with the TLB `tlb` for pages of 4 KiB and lists on them. Lists on pages that claim to
// have 2 MiB use the TLB `of_huge`.
LatencyInference on_pages_said_to_be_huge(const std::vector<synthetic::Tlb>& tlb,
                                          const std::vector<synthetic::Tlb>& of_huge) {
  Machine machine;
  machine.caches = {{32 * 1024, 8, 4, Placement::in_turn},
                    {1024 * 1024, 8, 14, Placement::hashed},
                    {16 * 1024 * 1024, 16, 48, Placement::hashed}};
  machine.memory_cycles = 500;
  machine.tlb = tlb;
  machine.step = 2;
  Bench bench(machine, 11);
  Machine other = machine;
  other.tlb = of_huge;
  Bench on_huge(other, 12);
  std::vector<LatencySample> samples = sweep_of(bench, 256 * 1024 * 1024, 1);
  std::vector<LatencySample> huge = sweep_of(on_huge);
  for (std::uint64_t pages = 8; pages <= 8192; pages += std::max<std::uint64_t>(1, pages / 5)) {
    samples.push_back(bench.spread(pages));
    huge.push_back(on_huge.packed(64 * pages));
  }
  for (LatencySample& sample : huge) {
    sample.page_bytes = kHugePage;
    samples.push_back(std::move(sample));
  }
  return infer_latency(samples, {}, 2.6e9);
}

TEST(Latency, HugePagesBackedBySmallOnesCostTheTlbAsMuch) {
  const LatencyInference found = on_pages_said_to_be_huge({{72, 8}}, {{72, 8}});
  ASSERT_EQ(found.tiers.size(), 4U);
  EXPECT_NEAR(found.tiers[1].cycles, 14, 0.5);
  EXPECT_NEAR(found.tiers[1].capacity_bytes, 1024 * 1024, 0.1 * 1024 * 1024);
  EXPECT_NEAR(found.tiers[2].cycles, 48, 2);
  EXPECT_THAT(found.warnings,
              Contains(HasSubstr("2.0 MiB cost the TLB as much as pages of 4.0 KiB")));
}

// The guest's page tables have one level less for huge pages.
TEST(Latency, ShorterWalksDoNotHideThatHugePagesAreBackedBySmallOnes) {
  const LatencyInference found =
      on_pages_said_to_be_huge({{72, 8}, {1024, 40}}, {{72, 8}, {1024, 5}});
  EXPECT_THAT(found.warnings,
              Contains(HasSubstr("2.0 MiB cost the TLB as much as pages of 4.0 KiB")));
  ASSERT_EQ(found.tiers.size(), 4U);
  EXPECT_NEAR(found.tiers[1].cycles, 14, 0.5);
}

TEST(Latency, RealHugePagesAreNotTakenForSmallOnes) {
  const LatencyInference found = on_pages_said_to_be_huge({{72, 8}}, {});
  ASSERT_EQ(found.tiers.size(), 4U);
  EXPECT_NEAR(found.tiers[1].cycles, 14, 0.5);
  EXPECT_NEAR(found.tiers[2].cycles, 48, 2);
  EXPECT_THAT(found.warnings, ::testing::Not(Contains(HasSubstr("cost the TLB"))));
}

TEST(Latency, RefinementNarrowsEdgesToTheRequestedShare) {
  const Machine machine = server();
  Bench bench(machine, 8);
  auto samples = sweep_of(bench, 256 * 1024 * 1024, 2);
  LatencyInference found = infer_latency(samples, server_advertised(), 2.6e9);
  for (int round = 0; round < 3; ++round) {
    for (const auto bytes : sizes_to_refine(found, 0.05, 64).packed_bytes)
      samples.push_back(bench.packed(bytes));
    found = infer_latency(samples, server_advertised(), 2.6e9);
  }
  ASSERT_EQ(found.tiers.size(), 4U);
  ASSERT_TRUE(found.tiers[0].capacity && found.tiers[1].capacity);
  EXPECT_LT(found.tiers[0].capacity->high / found.tiers[0].capacity->low, 1.1);
  EXPECT_NEAR(found.tiers[0].capacity_bytes, 48 * 1024, 0.03 * 48 * 1024);
  EXPECT_NEAR(found.tiers[1].capacity_bytes, 2 * 1024 * 1024, 0.05 * 2 * 1024 * 1024);
  EXPECT_LT(samples.size(), 75U);
}

}  // namespace
}  // namespace tacho::TEST_FILE

// Samples in slices of time: sums that stay, and a limit of the counts.
#include "profile/samples_in_time.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

#include "events_made_up_tree.hpp"
#include "profile_made_up_recording.hpp"

namespace tacho::TEST_FILE {
namespace {

constexpr std::uint64_t kUser = ~std::uint64_t{0} - 511;  // PERF_CONTEXT_USER
constexpr std::int32_t kPid = 5;

class SamplesInSlices : public testing::Test {
 protected:
  SamplesInSlices() {
    std::string map;
    for (std::uint64_t i = 0; i < 100; ++i)
      map += fmt::format("{:x} 10 function{}\n", 0x1000 + 0x10 * i, i);
    files_.write("perf-5.map", map);
    recording_.profile.keep_samples();
    recording_.map(kPid, 0x1000, 0x1000, "//anon");
    // 4,000 samples at equal distances: main calls one of 99 functions, each as often as the
    // others.
    for (std::uint64_t i = 0; i < 4000; ++i) {
      const std::uint64_t callee = 0x1010 + 0x10 * (i % 99);
      recording_.sample(kPid, callee + 8, 0, 7, {kUser, callee + 8, 0x1008});
      recording_.pass(999);
    }
  }
  SamplesInTime found(std::size_t most) {
    SymbolSources sources;
    sources.perf_maps = files_.path();
    Profile& profile = recording_.finished();
    Resolver resolver(profile.modules(), recording_.description, sources);
    tree_ = function_tree(profile, resolver, 0);
    return samples_in_time(profile, tree_, sampled_events(profile, recording_.description), 0,
                           grid_of_samples(profile), most);
  }

  MadeUpTree files_;
  MadeUpRecording recording_;
  FunctionTree tree_;
};

std::uint64_t sum_of(const SamplesInTime& in_time) {
  return std::accumulate(in_time.counts.begin(), in_time.counts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const SliceCount& each) { return sum + each.sum; });
}

TEST_F(SamplesInSlices, KeepEachCallChainWhereTheyFit) {
  const SamplesInTime in_time = found(100'000);
  EXPECT_EQ(in_time.grid.slices, 1000U);
  EXPECT_EQ(in_time.least_share, 0);
  EXPECT_EQ(in_time.counts.size(), 4000U);  // four in a slice, of different functions
  EXPECT_EQ(sum_of(in_time), 7U * 4000);
  ASSERT_EQ(in_time.threads.size(), 1U);
  EXPECT_EQ(in_time.threads.front().pid, kPid);
}

TEST_F(SamplesInSlices, AreCountedAtACallerWhereTheyAreTooMany) {
  const SamplesInTime in_time = found(1000);
  EXPECT_GT(in_time.least_share, 0);
  EXPECT_EQ(in_time.counts.size(), 1000U);  // main alone, in each slice
  EXPECT_EQ(sum_of(in_time), 7U * 4000);
  for (const SliceCount& each : in_time.counts) EXPECT_EQ(tree_.nodes[each.node].parent, kNoParent);
}

TEST_F(SamplesInSlices, AreLeftOutWhereNothingFits) {
  EXPECT_EQ(found(10).grid.slices, 0U);
}

// Waits, each of which is a sample with its length: 100 ns from 0, and 1000 ns from 200 ns on.
TEST(Waits, AreInEachSliceInWhichTheyLast) {
  MadeUpRecording recording({"waiting"});
  recording.description.events[0].lengths = true;
  recording.description.events[0].period = 1;
  recording.profile.keep_samples();
  recording.sample(kPid, 0x1000, 0, 100);
  recording.pass(199);  // and each record takes 1
  recording.sample(kPid, 0x1000, 0, 1000);
  Profile& profile = recording.finished();
  const std::uint64_t start_ns = profile.samples().front().time_ns;
  Resolver resolver(profile.modules(), recording.description, {});
  const FunctionTree tree = function_tree(profile, resolver, 0);
  const TimeGrid grid = TimeGrid::of(start_ns, start_ns + 1200, 4);
  const SamplesInTime found =
      samples_in_time(profile, tree, sampled_events(profile, recording.description), 0, grid, 100);
  std::vector<std::uint64_t> sums, samples;
  for (const SliceCount& each : found.counts) {
    sums.push_back(each.sum);
    samples.push_back(each.samples);
  }
  EXPECT_EQ(sums, (std::vector<std::uint64_t>{100 + 100, 300, 300, 300}));
  EXPECT_EQ(samples, (std::vector<std::uint64_t>{2, 0, 0, 0}));
}

}  // namespace
}  // namespace tacho::TEST_FILE

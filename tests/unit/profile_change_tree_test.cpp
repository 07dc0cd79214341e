// The call trees of two programs as one, and which of their changes are called significant.
#include "profile/change_tree.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "events_made_up_tree.hpp"
#include "profile/sampled_event.hpp"
#include "profile_made_up_recording.hpp"

namespace tacho::TEST_FILE {
namespace {

constexpr std::uint64_t kUser = ~std::uint64_t{0} - 511;  // PERF_CONTEXT_USER
constexpr std::int32_t kPid = 5;
constexpr std::uint64_t kMain = 0x1000, kSlow = 0x1100, kSame = 0x1200;

// Samples of a recording: main calls slow and same.
struct Counts {
  int slow, same;
};

class ChangeTrees : public testing::Test {
 protected:
  ChangeTrees() { files_.write("perf-5.map", "1000 100 main\n1100 100 slow\n1200 100 same\n"); }

  void add(Side side, const Counts& counts) {
    MadeUpRecording recording;
    recording.map(kPid, 0x1000, 0x1000, "//anon");
    for (const auto& [callee, count] : {std::pair(kSlow, counts.slow), {kSame, counts.same}})
      for (int i = 0; i < count; ++i)
        recording.sample(kPid, callee + 8, 0, 1000, {kUser, callee + 8, kMain + 8});
    SymbolSources sources;
    sources.perf_maps = files_.path();
    Profile& profile = recording.finished();
    Resolver resolver(profile.modules(), recording.description, sources);
    tree_.add(side, profile, resolver, sampled_events(profile, recording.description).front());
  }
  nlohmann::json members(bool tested) {
    return nlohmann::json::parse("{" + tree_.members(tested) + "}");
  }

  MadeUpTree files_;
  ChangeTree tree_;
};

std::string name_at(const nlohmann::json& page, std::size_t place) {
  return page["functions"]["name"][page["tree"]["function"][place].get<std::size_t>()];
}

TEST_F(ChangeTrees, HaveTheMeansOfEachSideAndCallTheChangeSignificant) {
  for (int i = 0; i < 12; ++i) {
    add(Side::before, {.slow = 200 + i % 5, .same = 100 + i % 3});
    add(Side::after, {.slow = 100 + i % 4, .same = 100 + (i * 2) % 3});
  }
  const nlohmann::json page = members(true);
  EXPECT_EQ(page["before"]["recordings"], 12);
  ASSERT_EQ(page["tree"]["depth"], nlohmann::json({0, 1, 1}));
  EXPECT_EQ(name_at(page, 0), "main");
  EXPECT_EQ(name_at(page, 1), "slow") << "the larger one comes first";
  EXPECT_EQ(name_at(page, 2), "same");
  EXPECT_NEAR(page["tree"]["before"][1], 1000 * (200 + 21.0 / 12), 1);  // 0+1+2+3+4, twice, and 0+1
  EXPECT_NEAR(page["tree"]["after"][1], 1000 * (100 + 18.0 / 12), 1);
  const nlohmann::json& known = page["tree"]["known"];
  ASSERT_EQ(known["node"], nlohmann::json({0, 1, 2}));
  EXPECT_EQ(known["changed"], nlohmann::json({1, 1, 0}));
  EXPECT_LT(known["high"][1], 0) << "slow takes less";
  EXPECT_LT(known["low"][2], 0);
  EXPECT_GT(known["high"][2], 0);
}

TEST_F(ChangeTrees, ClaimNothingWithoutATest) {
  add(Side::before, {.slow = 200, .same = 100});
  add(Side::after, {.slow = 10, .same = 100});
  EXPECT_TRUE(members(false)["tree"]["known"]["node"].empty());
}

TEST_F(ChangeTrees, HaveFunctionsOfOneSideOnly) {
  add(Side::before, {.slow = 200, .same = 0});
  add(Side::after, {.slow = 0, .same = 100});
  const nlohmann::json page = members(false);
  ASSERT_EQ(page["tree"]["depth"].size(), 3U);
  EXPECT_EQ(page["tree"]["before"], nlohmann::json({0.0, 200'000.0, 0.0}));
  EXPECT_EQ(page["tree"]["after"], nlohmann::json({0.0, 0.0, 100'000.0}));
}

}  // namespace
}  // namespace tacho::TEST_FILE

// The call tree of made-up call chains, and names that mean functions in them. A JIT compiler's map
// names the functions.
#include "profile/call_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "events_made_up_tree.hpp"
#include "profile/call_view.hpp"
#include "profile/function_choice.hpp"
#include "profile/total_order.hpp"
#include "profile_made_up_recording.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kUser = ~std::uint64_t{0} - 511;  // PERF_CONTEXT_USER
constexpr std::int32_t kPid = 5;
constexpr std::uint64_t kMain = 0x1000, kOuter = 0x1100, kSwapInt = 0x1200, kSwapLong = 0x1300;

class CallTrees : public testing::Test {
 protected:
  CallTrees() {
    tree_.write(
        "perf-5.map",
        "1000 100 main\n1100 100 app::outer\n1200 100 std::swap<int>\n1300 100 std::swap<long>\n");
    recording_.map(kPid, 0x1000, 0x1000, "//anon");
  }

  // A call chain, innermost first. Return addresses are in the middle of the callers.
  void sample(const std::vector<std::uint64_t>& chain, int times) {
    std::vector<std::uint64_t> addresses{kUser};
    for (const std::uint64_t start : chain) addresses.push_back(start + 0x10);
    for (int i = 0; i < times; ++i)
      recording_.sample(kPid, chain.front() + 0x10, 0, 1000, addresses);
  }
  Resolver resolver() {
    SymbolSources sources;
    sources.perf_maps = tree_.path();
    return {recording_.finished().modules(), recording_.description, sources};
  }
  Result<CallTree> tree(const TreeLimits& limits = {}) {
    Resolver names = resolver();
    return call_tree(recording_.profile, names, 0, "cycles", limits);
  }
  std::vector<std::string> chosen(const std::string& name) {
    Resolver names = resolver();
    const auto found = choose_function(recording_.profile, names, 0, name);
    if (!found) return {found.error().what, found.error().remedy};
    std::vector<std::string> all{names.function(found->id).name};
    all.insert(all.end(), found->warnings.begin(), found->warnings.end());
    return all;
  }

  MadeUpTree tree_;
  MadeUpRecording recording_;
};

// The rows as "depth function total self".
std::vector<std::string> rows_of(const CallTree& tree) {
  std::vector<std::string> rows;
  for (const CallTreeRow& row : tree.rows)
    rows.push_back(std::to_string(row.depth) + " " + row.function + " " +
                   std::to_string(row.total.samples) + " " + std::to_string(row.self.samples));
  return rows;
}

TEST_F(CallTrees, HasEachWayToAFunctionHottestFirst) {
  sample({kSwapInt, kMain}, 10);
  sample({kSwapInt, kOuter, kMain}, 50);
  sample({kOuter, kMain}, 20);
  sample({kOuter, kOuter, kMain}, 15);  // called by itself
  sample({kSwapLong}, 5);
  const auto found = tree();
  ASSERT_TRUE(found);
  EXPECT_THAT(rows_of(*found),
              ElementsAre("0 main 95 0", "1 app::outer 85 20", "2 std::swap<int> 50 50",
                          "2 app::outer 15 15", "1 std::swap<int> 10 10", "0 std::swap<long> 5 5"));
  EXPECT_DOUBLE_EQ(found->rows[0].share, 0.95);
  EXPECT_NEAR(found->rows[0].ci95.low, wilson95(0.95, 100).low, 1e-9);
  EXPECT_EQ(found->left_out, 0U);
}

TEST_F(CallTrees, LimitsKeepTheHottestWithTheirCallers) {
  sample({kSwapInt, kOuter, kMain}, 60);
  sample({kSwapLong, kOuter, kMain}, 4);
  sample({kSwapInt, kMain}, 36);
  EXPECT_THAT(rows_of(*tree({.least_share = 0.05, .limit = 0})),
              ElementsAre("0 main 100 0", "1 app::outer 64 0", "2 std::swap<int> 60 60",
                          "1 std::swap<int> 36 36"));
  const auto two = tree({.least_share = 0, .limit = 2});
  EXPECT_THAT(rows_of(*two), ElementsAre("0 main 100 0", "1 app::outer 64 0"));
  EXPECT_EQ(two->left_out, 3U);
}

TEST_F(CallTrees, TextBranchesOnlyWhereTheCallsDo) {
  sample({kSwapInt, kOuter, kMain}, 60);
  sample({kSwapLong, kOuter, kMain}, 40);
  const std::string text = call_tree_text(*tree(), {});
  EXPECT_THAT(text, HasSubstr("  main\n"));
  EXPECT_THAT(text, HasSubstr("  → app::outer\n"));
  EXPECT_THAT(text, HasSubstr("60.0 %  ├ std::swap<int>\n"));
  EXPECT_THAT(text, HasSubstr("40.0 %  └ std::swap<long>\n"));
  EXPECT_THAT(text, Not(HasSubstr("more")));
  const auto json = nlohmann::json::parse(call_tree_json(*tree(), "1.2.3"));
  EXPECT_EQ(json["samples"], 100);
  EXPECT_EQ(json["rows"][0]["caller"], nullptr);
  EXPECT_EQ(json["rows"][3]["caller"], 1);
  EXPECT_EQ(json["rows"][3]["self_samples"], 40);
}

TEST_F(CallTrees, NeedCallChains) {
  recording_.sample(kPid, kMain);
  EXPECT_EQ(tree().error().remedy, "record with -g");
}

TEST_F(CallTrees, RowsCanBeSortedByTotal) {
  sample({kSwapInt, kOuter, kMain}, 60);
  sample({kMain}, 1);
  Resolver names = resolver();
  ProfileSummary summary =
      summarize(recording_.profile, recording_.description, names, SortBy::function, 0, {});
  EXPECT_EQ(summary.rows[0].function, "std::swap<int>");
  ASSERT_TRUE(sort_by_total(summary));
  std::vector<std::string> order;
  for (const ProfileRow& row : summary.rows) order.push_back(row.function);
  EXPECT_THAT(order, ElementsAre("main", "std::swap<int>", "app::outer"));
}

TEST_F(CallTrees, AShortNameMeansTheHottestFunctionAndAWarningNamesTheOthers) {
  sample({kSwapLong, kMain}, 30);
  sample({kSwapInt, kMain}, 20);
  sample({kOuter, kMain}, 60);
  EXPECT_THAT(chosen("swap"), ElementsAre("std::swap<long>", HasSubstr("std::swap<int>")));
  EXPECT_THAT(chosen("std::swap"), ElementsAre("std::swap<long>", HasSubstr("with 20 samples")));
  EXPECT_THAT(chosen("std::swap<int>"), ElementsAre("std::swap<int>"));
  EXPECT_THAT(chosen("std::swap<i…"), ElementsAre("std::swap<int>"));
  EXPECT_THAT(chosen(""), ElementsAre("app::outer"));
}

TEST_F(CallTrees, AnErrorOffersTheNearestNamesWithTheirSamples) {
  sample({kSwapLong, kMain}, 30);
  sample({kSwapInt, kMain}, 20);
  EXPECT_THAT(chosen("swop"),
              ElementsAre(HasSubstr("no sample fell into a function 'swop'"),
                          HasSubstr("did you mean 'std::swap<long>' (30 samples)?")));
  EXPECT_THAT(chosen("snip"), ElementsAre(testing::_, testing::Not(HasSubstr("did you mean"))))
      << "half of its letters are those of swap";
  EXPECT_THAT(chosen("main"), ElementsAre(HasSubstr("'main'"), testing::_))
      << "no sample of its own";
  Resolver names = resolver();
  const auto view = call_view(recording_.profile, names, 0, "swop", CallSide::callers);
  EXPECT_THAT(view.error().remedy, HasSubstr("'std::swap<long>' (30 samples)"));
  const auto found = call_view(recording_.profile, names, 0, "swap", CallSide::callers);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->total.samples, 50U);
}

}  // namespace
}  // namespace tacho::TEST_FILE

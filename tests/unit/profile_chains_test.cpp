// Call chains that were cut, that lead astray, and that a processor kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/format_constants.hpp"
#include "profile/call_view.hpp"
#include "profile/chain_warnings.hpp"
#include "profile/report.hpp"
#include "profile_made_up_recording.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kUser = ~std::uint64_t{0} - 511;  // PERF_CONTEXT_USER

// A process whose code has names: it was made by a JIT compiler, and a map tells them.
class Chains : public testing::Test {
 protected:
  static constexpr std::uint64_t kMain = 0x1000, kRecurse = 0x2000, kLeaf = 0x3000;

  Chains() {
    std::ofstream(map_) << "1000 100 main\n2000 100 recurse\n3000 100 leaf\n";
    recording_.map(pid_, 0x1000, 0x3000, "//anon");
    event().sample_type = perfdata::format::kCallchain;
    event().frequency = 1000;
  }
  ~Chains() override { ::unlink(map_.c_str()); }

  perfdata::RecordedEvent& event() { return recording_.description.events[0]; }
  // leaf, called by recurse so many times, called by main if there is room for it.
  void deep(std::size_t recursions, bool to_main) {
    std::vector<std::uint64_t> chain{kUser, kLeaf + 8};
    chain.insert(chain.end(), recursions, kRecurse + 8);
    if (to_main) chain.push_back(kMain + 8);
    recording_.sample(pid_, kLeaf + 8, 0, 1000, chain);
  }
  ProfileSummary summary() {
    recording_.finished();
    return summarize(recording_.profile, recording_.description, resolver(), SortBy::function, 0,
                     {});
  }
  Resolver& resolver() {
    if (!resolver_)
      resolver_.emplace(recording_.finished().modules(), recording_.description, SymbolSources());
    return *resolver_;
  }
  static const ProfileRow& row(const ProfileSummary& summary, const std::string& function) {
    for (const ProfileRow& each : summary.rows)
      if (each.function == function) return each;
    ADD_FAILURE() << "no row of " << function;
    return summary.rows.front();
  }

  std::int32_t pid_ = ::getpid();
  std::string map_ = "/tmp/perf-" + std::to_string(pid_) + ".map";
  MadeUpRecording recording_;
  std::optional<Resolver> resolver_;
};

TEST_F(Chains, AChainOfAsManyAddressesAsTheKernelKeepsWasCut) {
  event().max_stack = 10;
  for (int i = 0; i < 30; ++i) deep(9, false);  // 10 addresses, with its own
  for (int i = 0; i < 70; ++i) deep(3, true);
  const ProfileSummary found = summary();
  EXPECT_EQ(found.cut_chains, 30U);
  EXPECT_THAT(found.warnings,
              ElementsAre(HasSubstr("30 of 100 call chains were cut after 10 addresses "
                                    "(kernel.perf_event_max_stack)")));
  const ProfileRow& main = row(found, "main");
  EXPECT_TRUE(main.total_is_at_least);
  EXPECT_DOUBLE_EQ(*main.total, 0.7);
  EXPECT_LT(main.total_ci95.low, 0.7);
  EXPECT_GE(main.total_ci95.high, 0.999) << "all the cut ones may have come from main";
  EXPECT_THAT(profile_text(found, 0, {}), testing::ContainsRegex("≥ +70\\.0 %.* main\n"));
  const ProfileRow& recurse = row(found, "recurse");
  EXPECT_FALSE(recurse.total_is_at_least) << "each cut chain has it already";
  EXPECT_DOUBLE_EQ(*recurse.total, 1);
}

TEST_F(Chains, WithoutALimitInTheRecordingTheKernelsDefaultHolds) {
  deep(126, false);
  deep(125, false);
  deep(200, true);  // the limit was higher
  EXPECT_EQ(summary().cut_chains, 1U);
}

TEST_F(Chains, TheOutermostFunctionOfACutChainHasACaller) {
  event().max_stack = 10;
  deep(9, false);
  deep(3, true);
  summary();
  const auto of_main = call_view(recording_.profile, resolver(), 0, "main", CallSide::callers);
  ASSERT_EQ(of_main->rows.size(), 1U);
  EXPECT_FALSE(of_main->rows[0].cut) << "nobody called main";
}

TEST_F(Chains, CallersThatWereCutAreNotTheOutermost) {
  event().max_stack = 2;
  recording_.sample(pid_, kLeaf + 8, 0, 1000, {kUser, kLeaf + 8, kRecurse + 8});
  recording_.sample(pid_, kLeaf + 8, 0, 1000, {kUser, kLeaf + 8});
  summary();
  const auto callers = call_view(recording_.profile, resolver(), 0, "recurse", CallSide::callers);
  ASSERT_EQ(callers->rows.size(), 1U);
  EXPECT_TRUE(callers->rows[0].cut);
  EXPECT_THAT(call_view_text(*callers, {}), HasSubstr("[cut]"));
}

TEST_F(Chains, AProcessorsCallsAreTheChain) {
  event().sample_type |= perfdata::format::kBranchStack;
  event().branch_sample_type = perfdata::format::kCallStack;
  std::vector<perfdata::Branch> calls(1);
  calls[0].from = kMain + 8;
  calls[0].to = kLeaf;
  const std::vector<std::uint64_t> astray{kUser, kLeaf + 8, 0xdead0000};
  perfdata::Sample sample;
  sample.mode = perfdata::Mode::user;
  sample.ip = kLeaf + 8;
  sample.pid = sample.tid = pid_;
  sample.period = 1000;
  sample.chain = astray;
  sample.branches = calls;
  recording_.add(sample);
  const ProfileSummary found = summary();
  EXPECT_DOUBLE_EQ(*row(found, "main").total, 1);
  EXPECT_THAT(found.warnings, IsEmpty());
}

class Broken : public Chains {
 protected:
  void sample(int times, std::vector<std::uint64_t> callers) {
    std::vector<std::uint64_t> chain{kUser, kLeaf + 8};
    chain.insert(chain.end(), callers.begin(), callers.end());
    for (int i = 0; i < times; ++i) recording_.sample(pid_, kLeaf + 8, 0, 1000, chain);
  }
};

TEST_F(Broken, MostChainsThatLeadNowhereAreOneWarning) {
  sample(40, {0xdead0000});
  sample(20, {});
  sample(40, {kRecurse + 8, kMain + 8});
  EXPECT_THAT(summary().warnings,
              testing::Contains(HasSubstr("most call chains are broken: 60 of 100 do not lead to "
                                          "the start of a thread")));
}

TEST_F(Broken, ChainsThatReachMainAreComplete) {
  sample(60, {kMain + 8, 0xdead0000});  // the C library that called main keeps no frame pointers
  sample(40, {0xdead0000});
  EXPECT_THAT(summary().warnings, testing::Not(testing::Contains(HasSubstr("broken"))));
}

TEST_F(Broken, FewSamplesTellNothing) {
  sample(19, {0xdead0000});
  EXPECT_THAT(summary().warnings, testing::Not(testing::Contains(HasSubstr("broken"))));
}

TEST_F(Broken, CopiesOfStacksHaveOtherReasons) {
  event().sample_type |= perfdata::format::kStackUser | perfdata::format::kRegsUser;
  sample(40, {0xdead0000});
  EXPECT_THAT(summary().warnings, testing::Not(testing::Contains(HasSubstr("broken"))));
}

}  // namespace
}  // namespace tacho::TEST_FILE

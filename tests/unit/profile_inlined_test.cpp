// Functions that were inlined, in profiles and their exports: with made-up levels, and in a program
// that is built here, compared with addr2line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "profile/call_view.hpp"
#include "profile/recorded_profile.hpp"
#include "profile/report.hpp"
#include "profile_made_up_recording.hpp"
#include "symbols_built_program.hpp"

namespace tacho::TEST_FILE {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kUser = ~std::uint64_t{0} - 511;  // PERF_CONTEXT_USER

// At 0x10 two functions were inlined. 0x20 calls it.
std::uint32_t made_up_levels(const CodePlace& place) {
  return place.offset == 0x10 ? 3 : 1;
}

std::vector<std::pair<std::uint64_t, std::uint32_t>> path_of(const Profile& profile,
                                                             std::size_t node) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> path;  // offset and level, innermost first
  for (std::size_t at = node; at != kNoParent; at = profile.nodes()[at].parent) {
    const CodePlace& place = profile.cells()[profile.nodes()[at].cell];
    path.emplace_back(place.offset, place.level);
  }
  return path;
}

TEST(ProfileInlined, EachLevelIsANodeAndTheInnermostHasTheSamples) {
  MadeUpRecording made({"cycles", "faults"});
  made.map(1, 0, 0x1000, "/none");
  made.profile.keep_samples();
  made.sample(1, 0x10, 0, 1000, {kUser, 0x10, 0x21});
  made.sample(1, 0x10, 1, 7, {kUser, 0x10, 0x21});
  made.sample(1, 0x20, 0, 1000, {kUser, 0x20});
  made.finished();
  made.profile.add_inlined(made_up_levels);
  ASSERT_TRUE(made.profile.has_inlined());
  using Path = std::vector<std::pair<std::uint64_t, std::uint32_t>>;
  std::map<Path, std::uint64_t> samples;
  for (std::size_t node = 0; node < made.profile.nodes().size(); ++node)
    for (const std::size_t event : {0U, 1U})
      if (const auto count = made.profile.count_at_node(event, node); count.samples > 0)
        samples[path_of(made.profile, node)] += count.sum;
  EXPECT_EQ(samples,
            (std::map<Path, std::uint64_t>{{{{0x10, 0}, {0x10, 1}, {0x10, 2}, {0x20, 0}}, 1007},
                                           {{{0x20, 0}}, 1000}}));
  EXPECT_EQ(made.profile.total(0).samples, 2U);
}

TEST(ProfileInlined, SamplesOverTimeFollowTheirNodes) {
  MadeUpRecording made;
  made.profile.keep_samples();
  made.map(1, 0, 0x1000, "/none");
  for (const std::uint64_t ip : {0x20U, 0x10U, 0x20U}) {
    perfdata::Sample sample;
    sample.mode = perfdata::Mode::user;
    sample.pid = sample.tid = 1;
    sample.ip = ip;
    sample.time_ns = 10 + made.profile.samples().size();
    made.add(sample);
  }
  made.finished();
  made.profile.add_inlined(made_up_levels);
  std::vector<std::size_t> depths;
  for (const TimedSample& each : made.profile.samples())
    depths.push_back(path_of(made.profile, each.node).size());
  EXPECT_THAT(depths, testing::ElementsAre(1, 3, 1));
  EXPECT_FALSE(made.profile.has_chains()) << "who called whom was not recorded";
}

TEST(ProfileInlined, WithoutInlinedFunctionsNothingChanges) {
  MadeUpRecording made;
  made.map(1, 0, 0x1000, "/none");
  made.sample(1, 0x10, 0, 1000, {kUser, 0x10, 0x21});
  made.finished();
  const std::vector<CallNode> before = made.profile.nodes();
  made.profile.add_inlined([](const CodePlace&) { return 1U; });
  EXPECT_FALSE(made.profile.has_inlined());
  EXPECT_EQ(made.profile.nodes(), before);
}

// A sample at each byte of work(int), into which between() and, in it, innermost() were inlined.
// main() called it.
class InlinedProgram : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (has_compiler()) program_.emplace();
  }
  static void TearDownTestSuite() { program_.reset(); }

  void SetUp() override {
    if (!program_) GTEST_SKIP() << "no C++ compiler (c++) builds programs here";
    if (const auto lines = symbols::SourceLines::open("/nonexistent");
        !lines && lines.error().what.contains("without elfutils"))
      GTEST_SKIP() << "built without elfutils";
    const auto file = symbols::ElfFile::open(program_->path());
    const auto functions = program_->functions();
    const auto main = *file->offset_of(functions.at("main").first);
    const auto work = std::ranges::find_if(
        functions, [](const auto& each) { return each.first.ends_with("4workEi"); });
    const auto [start, size] = work->second;
    made_.map(1, 0, 1 << 20, program_->path());
    std::ostringstream command;
    command << "addr2line -a -f -i -e " << program_->path() << std::hex;
    for (std::uint64_t address = start; address < start + size; ++address) {
      const std::uint64_t at = *file->offset_of(address);
      made_.sample(1, at, 0, 1, {kUser, at, main + 1});
      command << " 0x" << address;
    }
    made_.finished();
    count_innermost(output_of(command.str()));
  }

  // Counts addresses by innermost function. For each address, addr2line prints "0xADDRESS", then a
  // function and a place for each level. The names can be those of the symbol table, but their
  // number says which function is the innermost.
  void count_innermost(const std::string& printed) {
    std::istringstream lines(printed);
    constexpr std::array kInnermost{"work", "between", "innermost"};
    std::size_t levels = 0;
    const auto count = [&] {
      if (levels > 0) ++expected_[kInnermost.at(levels - 1)];
      levels = 0;
    };
    std::string place;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("0x")) {
        count();
      } else {
        ++levels;
        std::getline(lines, place);
      }
    }
    count();
  }

  template <class Use>
  auto with_inlined(const Use& use) {
    Resolver resolver(made_.finished().modules(), made_.description, {});
    resolver.show_inlined();
    made_.profile.add_inlined([&](const CodePlace& place) { return resolver.levels_of(place); });
    return use(resolver);
  }

  static inline std::optional<BuiltProgram> program_;
  MadeUpRecording made_;
  std::map<std::string, std::uint64_t> expected_;  // samples by innermost function
};

std::string last_part(const std::string& name) {
  return name.substr(name.rfind(':') + 1);
}

TEST_F(InlinedProgram, RowsHaveTheSamplesOfTheInnermostFunction) {
  const ProfileSummary found = with_inlined([&](Resolver& resolver) {
    return summarize(made_.profile, made_.description, resolver, SortBy::function, 0, {});
  });
  std::map<std::string, std::uint64_t> samples;
  std::map<std::string, double> totals;
  for (const ProfileRow& row : found.rows) {
    if (row.counts[0].samples > 0) samples[last_part(row.function)] += row.counts[0].samples;
    totals[last_part(row.function)] = *row.total;
  }
  EXPECT_GE(expected_.size(), 2U);
  EXPECT_EQ(samples, expected_);
  EXPECT_DOUBLE_EQ(totals["work"], 1) << "it contains the others";
  EXPECT_DOUBLE_EQ(totals["main"], 1);
  EXPECT_GE(totals["between"], totals["innermost"]);
}

TEST_F(InlinedProgram, ExportsHaveAFrameForEachInlinedFunction) {
  with_inlined([&](Resolver& resolver) {
    const ProfileExport in{made_.profile, made_.description, resolver, 0, "1.2.3"};
    EXPECT_THAT(whole(profile_folded(in)), HasSubstr("work;between;innermost "));
    const json speedscope = json::parse(profile_speedscope(in));
    std::set<std::string> names;
    for (const json& frame : speedscope["shared"]["frames"])
      names.insert(last_part(frame["name"].get<std::string>()));
    EXPECT_TRUE(names.contains("innermost") && names.contains("between"));
    const json thread = json::parse(whole(profile_firefox(in)))["threads"][0];
    std::map<std::string, std::set<int>> depths;  // of inlining, by function
    for (std::size_t i = 0; i < thread["frameTable"]["length"]; ++i) {
      const json& function = thread["frameTable"]["func"][i];
      const json& name = thread["funcTable"]["name"][function.get<std::size_t>()];
      depths[last_part(thread["stringArray"][name.get<std::size_t>()])].insert(
          thread["frameTable"]["inlineDepth"][i].get<int>());
    }
    EXPECT_EQ(depths["innermost"], (std::set<int>{2}));
    EXPECT_EQ(depths["between"], (std::set<int>{1}));
    EXPECT_EQ(depths["work"], (std::set<int>{0}));
  });
}

TEST_F(InlinedProgram, CallersOfAnInlinedFunctionAreKnown) {
  with_inlined([&](Resolver& resolver) {
    const auto view = call_view(made_.profile, resolver, 0, "innermost", CallSide::callers);
    ASSERT_TRUE(view) << view.error().what;
    ASSERT_EQ(view->rows.size(), 1U);
    EXPECT_EQ(view->rows[0].function, "between");
    EXPECT_EQ(view->total.samples, expected_["innermost"]);
  });
}

TEST_F(InlinedProgram, WithoutItTheSamplesBelongToTheFunctionInTheSymbolTable) {
  Resolver resolver(made_.finished().modules(), made_.description, {});
  EXPECT_THAT(whole(profile_folded({made_.profile, made_.description, resolver, 0, "1.2.3"})),
              Not(HasSubstr("innermost")));
}

}  // namespace
}  // namespace tacho::TEST_FILE

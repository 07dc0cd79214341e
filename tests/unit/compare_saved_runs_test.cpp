// Saved comparisons: what is read is what was written, and no file can harm.
#include "compare/saved_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "compare/report.hpp"
#include "compare_made_up_runs.hpp"

namespace tacho::TEST_FILE {
namespace {

class SavedRuns : public testing::Test {
 protected:
  Result<PairedRuns> read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_saved_runs(path_);
  }

  ~SavedRuns() override { std::filesystem::remove(path_); }

  std::string path_ = testing::TempDir() + "tacho_saved_runs.json";
  std::vector<std::pair<double, double>> pairs_ = {{1.5, 2.5}, {1.25, 2.25}, {1, 2}};
};

TEST_F(SavedRuns, AreReadAsTheyWereWritten) {
  PairedRuns runs = made_up_runs(pairs_);
  runs.started = "2026-11-27T10:00:00+0000";
  runs.machine.kernel = "6.1.0";
  runs.commands.back().name = "new";
  const auto read_back = read(to_json(report_of({}, runs, "0")));
  ASSERT_TRUE(read_back.has_value()) << read_back.error().what;
  EXPECT_EQ(read_back->series(0, 0), runs.series(0, 0));
  EXPECT_EQ(read_back->series(1, 0), runs.series(1, 0));
  EXPECT_EQ(read_back->commands.back().name, "new");
  EXPECT_EQ(read_back->started, runs.started);
  EXPECT_EQ(read_back->machine.kernel, "6.1.0");
}

TEST_F(SavedRuns, TheFirstCommandIsPutBesideALaterOne) {
  const PairedRuns before = made_up_runs(pairs_);
  const PairedRuns after = first_command(made_up_runs({{3, 9}, {3, 9}}));
  const PairedRuns both = put_beside(before, after);
  EXPECT_TRUE(both.baseline.has_value());
  ASSERT_EQ(both.commands.size(), 2U);
  EXPECT_EQ(both.commands.front().label, "A");
  EXPECT_EQ(both.commands.back().label, "B");
  EXPECT_EQ(both.series(0, 0), before.series(0, 0));
  EXPECT_EQ(both.series(1, 0).front(), 3);
  const PairedChange change = judge(both).front();
  EXPECT_EQ(change.before, 1.25);
  EXPECT_EQ(change.after, 3);
}

TEST_F(SavedRuns, OtherFilesAreErrorsThatNameTheFile) {
  const std::string whole = to_json(report_of({}, made_up_runs(pairs_), "0"));
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[1]"), std::string("null"),
        std::string(100'000, '['), std::string(R"({"comparison": 2})"),
        std::string(R"({"comparison": 1})"), whole.substr(0, whole.size() / 2)}) {
    const auto runs = read(text);
    ASSERT_FALSE(runs.has_value()) << text.substr(0, 50);
    EXPECT_THAT(runs.error().what, testing::HasSubstr(path_));
    EXPECT_FALSE(runs.error().remedy.empty());
  }
  EXPECT_FALSE(read_saved_runs("/dev/zero").has_value());
  EXPECT_FALSE(read_saved_runs("/no/such/file").has_value());
}

TEST_F(SavedRuns, RunsThatCanNotBeAreErrors) {
  const std::string whole = to_json(report_of({}, made_up_runs(pairs_), "0"));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    EXPECT_NE(text, whole) << from;
    return read(text);
  };
  EXPECT_TRUE(read(whole).has_value());
  EXPECT_FALSE(changed("\"member\": 1", "\"member\": -1").has_value());
  EXPECT_FALSE(changed("\"member\": 1", "\"member\": 7").has_value());
  EXPECT_FALSE(changed("\"block\": 2", "\"block\": 1").has_value());
  EXPECT_FALSE(changed("2.5", "-2.5").has_value());
  EXPECT_FALSE(changed("2.5", "1e308").has_value());
}

// Changed bytes give an error, or runs that can be judged and reported.
TEST_F(SavedRuns, MutatedFilesAreErrorsOrRuns) {
  const std::string whole = to_json(report_of({}, made_up_runs(pairs_), "0"));
  std::mt19937_64 random(1);
  int taken = 0;
  for (int i = 0; i < 2'000; ++i) {
    std::string text = whole;
    for (int change = 0; change < 3; ++change)
      text[random() % text.size()] = "0123456789-,:\"[]{}e."[random() % 20];
    if (auto runs = read(text)) {
      ++taken;
      const PairedRuns both = put_beside(*runs, first_command(*runs));
      EXPECT_FALSE(to_text(report_of({}, both, "0"), {}).empty());
    }
  }
  EXPECT_GT(taken, 5) << "some changes only change a number";
}

}  // namespace
}  // namespace tacho::TEST_FILE

// Whether the order of rows is significant, on drawn recordings whose truth is known.
#include "profile/row_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "events_made_up_tree.hpp"
#include "profile/report.hpp"
#include "profile_made_up_recording.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kRows = 3;
using Program = std::function<std::size_t(double at_s)>;  // the row in which a thread is

// A thread sampled as `tacho record -F` does: the period is drawn anew after 500 samples.
class Drawn : public MadeUpRecording {
 public:
  Drawn(double seconds, double rate, const Program& program, std::mt19937_64& random)
      : MadeUpRecording({"cpu-clock"}) {
    perfdata::RecordedEvent& event = description.events.front();
    event.type = 1;  // PERF_TYPE_SOFTWARE, and config 0: PERF_COUNT_SW_CPU_CLOCK
    event.period = 0;
    event.frequency = static_cast<std::uint64_t>(rate);
    event.inherited = true;
    map(5, 0x1000, 0x4000, "//anon");
    std::uniform_real_distribution<> part(0.5, 1.5);
    double period = 0;  // s
    double at = 0;
    for (int i = 0; at < seconds; ++i) {
      if (i % 500 == 0) period = part(random) / rate;
      at += period;
      sample(5, 0x1000 * (1 + program(at)), 0, static_cast<std::uint64_t>(1e9 * period));
    }
    profile.finish(description);
  }

  // Whether the first two rows differ.
  bool apart() const {
    std::vector<std::size_t> row_of;
    std::vector<ProfileRow> rows(kRows);
    for (std::size_t cell = 0; cell < profile.cells().size(); ++cell)
      row_of.push_back(profile.cells()[cell].offset / 0x1000 - 1);
    const std::vector<double> changes = profile.changes(0, row_of, kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
      rows[i].made = i;
      rows[i].changes = changes[i];
      rows[i].counts.resize(1);
    }
    for (std::size_t cell = 0; cell < row_of.size(); ++cell)
      rows[row_of[cell]].counts[0] += profile.count(0, cell);
    for (ProfileRow& row : rows)
      row.share =
          static_cast<double>(row.counts[0].sum) / static_cast<double>(profile.total(0).sum);
    std::ranges::sort(rows, std::ranges::greater(), &ProfileRow::share);
    return compare_neighbours(profile, 0, 0, row_of, rows).front().apart;
  }
};

// The part of 400 recordings in which the first two rows differ.
double found_apart(double seconds, double rate,
                   const std::function<Program(std::mt19937_64&)>& program) {
  constexpr int kTimes = 400;
  std::mt19937_64 random(1);
  int found = 0;
  for (int i = 0; i < kTimes; ++i) {
    const Program drawn = program(random);
    found += Drawn(seconds, rate, drawn, random).apart() ? 1 : 0;
  }
  return static_cast<double>(found) / kTimes;
}

// Phases in a random order. Each row has its time in `of_row`, in `pieces` of random length.
Program phases(const std::vector<double>& of_row, int pieces, std::mt19937_64& random) {
  std::vector<std::pair<double, std::size_t>> all;
  for (std::size_t row = 0; row < of_row.size(); ++row) {
    std::vector<double> lengths;
    for (int i = 0; i < pieces; ++i)
      lengths.push_back(std::uniform_real_distribution<>(0.2, 1)(random));
    const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
    for (const double length : lengths) all.emplace_back(length / sum * of_row[row], row);
  }
  std::ranges::shuffle(all, random);
  return [all](double at) {
    for (const auto& [length, row] : all)
      if ((at -= length) < 0) return row;
    return all.back().second;
  };
}

// At 95 % confidence, at most 5 of 100 pairs of equal rows may differ; 400 recordings of them have
// at most 7 % with a probability of 97 %.
constexpr double kFalse = 0.07;

TEST(RowOrder, EqualPhasesRarelyDiffer) {
  for (const int pieces : {1, 3, 10, 40})
    EXPECT_LE(
        found_apart(1, 250, [&](auto& random) { return phases({0.4, 0.4, 0.2}, pieces, random); }),
        kFalse)
        << pieces;
}

TEST(RowOrder, EqualPartsOfAMixtureRarelyDiffer) {
  for (const double rate : {50.0, 250.0, 1000.0})
    EXPECT_LE(found_apart(1, rate,
                          [](std::mt19937_64& random) {
                            return [&random](double) {
                              const double drawn = std::uniform_real_distribution<>()(random);
                              return drawn < 0.4 ? std::size_t{0}
                                                 : std::size_t{drawn < 0.8 ? 1U : 2U};
                            };
                          }),
              kFalse)
        << rate;
}

TEST(RowOrder, EqualPartsOfARhythmRarelyDiffer) {
  for (const double periods : {0.5, 0.8, 1.0, 1.05, 2.0, 7.3})
    EXPECT_LE(found_apart(1, 1000,
                          [&](std::mt19937_64& random) {
                            const double begin = std::uniform_real_distribution<>()(random);
                            return [begin, length = periods / 1000](double at) {
                              const double part = std::fmod(at / length + begin, 1.0);
                              return part < 0.4 ? std::size_t{0}
                                                : std::size_t{part < 0.8 ? 1U : 2U};
                            };
                          }),
              kFalse)
        << periods;
}

// 500 ms against 400 ms in phases. As independent samples, 300 of them would not show it.
TEST(RowOrder, TheDifferenceOfPhasesIsFoundWhereTheirIntervalsAreFarApart) {
  EXPECT_GE(found_apart(1.2, 250, [](auto& random) { return phases({0.5, 0.4, 0.3}, 1, random); }),
            0.95);
}

TEST(RowOrder, OneSentenceNamesAllRowsWhoseOrderIsOpen) {
  MadeUpTree tree;
  tree.write("perf-5.map", "1000 10 a\n1100 10 b\n1200 10 c\n1300 10 d\n1400 10 e\n");
  const auto text = [&](const std::vector<int>& samples) {
    MadeUpRecording recording;
    recording.map(5, 0x1000, 0x1000, "//anon");
    for (std::size_t i = 0; i < samples.size(); ++i)
      for (int k = 0; k < samples[i]; ++k) recording.sample(5, 0x1000 + 0x100 * i);
    recording.finished();
    SymbolSources sources;
    sources.perf_maps = tree.path();
    Resolver resolver(recording.finished().modules(), recording.description, sources);
    return profile_text(
        summarize(recording.profile, recording.description, resolver, SortBy::function, 0, {}), 0,
        {});
  };
  EXPECT_THAT(text({100, 85}), HasSubstr("The order of rows 1 and 2 is not significant: about "));
  const std::string three = text({100, 88, 76, 30});
  EXPECT_THAT(three, HasSubstr("The order of rows 1 to 3 is not significant: of rows 1 and 2,"));
  EXPECT_THAT(three.substr(three.find("The order") + 1), Not(HasSubstr("The order")));
  EXPECT_THAT(text({90, 88, 40, 38, 37}),
              HasSubstr("The order of rows 1 and 2, and of rows 3 to 5 is not significant"));
  EXPECT_THAT(text({100, 48, 36}),
              HasSubstr("The order of rows 2 and 3 is not significant: about"));
}

}  // namespace
}  // namespace tacho::TEST_FILE

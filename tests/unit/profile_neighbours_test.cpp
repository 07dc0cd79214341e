// Successive samples of a thread, and the intervals of shares that follow from them.
#include "profile/neighbours.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "profile_made_up_recording.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;

// Nodes 0 and 1 are in row 0, node 2 is in row 1, node 3 in row 2.
std::size_t row_of(std::uint32_t node) {
  return node < 2 ? 0 : node - 1;
}

TEST(Neighbours, ChangesBetweenRowsAreCountedThreadByThread) {
  Neighbours neighbours;
  for (const std::uint32_t node : {0U, 1U, 0U, 2U, 2U, 0U}) {
    neighbours.add(1, node, 0, 1);
    neighbours.add(2, 3, 0, 1);
  }
  // Thread 1 enters row 0, changes to row 1 and back; thread 2 enters row 2.
  EXPECT_THAT(neighbours.changes(row_of, 3), ElementsAre(3, 2, 1));
  neighbours.end(2);
  neighbours.add(2, 3, 0, 1);  // another thread with this number
  EXPECT_THAT(neighbours.changes(row_of, 3), ElementsAre(3, 2, 2));
}

TEST(Neighbours, IfSamplesAreMissingBetweenTwoTheThreadWasElsewhere) {
  Neighbours neighbours;
  neighbours.add(1, 0, 1000, 150);
  neighbours.add(1, 1, 1150, 150);
  neighbours.add(1, 0, 1301, 150);
  EXPECT_THAT(neighbours.changes(row_of, 3), ElementsAre(3, 0, 0));
}

TEST(Neighbours, OfManySamplesAPartGivesAnUpperLimitOfTheChanges) {
  Neighbours neighbours;
  std::mt19937_64 random(1);
  std::bernoulli_distribution stays(0.99);
  constexpr int kSamples = 500'000;
  std::uint32_t node = 0;
  double truth = 1;
  neighbours.add(1, node, 0, 1);
  for (int i = 1; i < kSamples; ++i) {
    if (!stays(random)) {
      node = 2 - node;
      ++truth;
    }
    neighbours.add(1, node, 0, 1);
  }
  const std::vector<double> changes = neighbours.changes(row_of, 3);
  EXPECT_NEAR(changes[0], truth, 0.15 * truth);
  EXPECT_GT(changes[0], truth);
  EXPECT_NEAR(changes[0], changes[1], 0.01 * truth);
  // Not one of 65,536 pairs: at most 3.84 in 65,540 of all.
  EXPECT_NEAR(changes[2], kSamples * 3.84 / 65540, 0.1);
}

constexpr double kSecond = 1e9;        // ns
constexpr std::uint64_t kRate = 1000;  // Hz
constexpr std::uint64_t kFirst = 0x1000, kSecondPlace = 0x2000;

// A recording of a thread that is in the first place at the times at which `in_first` is true. It
// is sampled with periods as `tacho record` draws them: after 500 samples, the frequency is drawn
// anew, evenly within ±50 %. `drawn` false: the wanted period, as perf does.
class Sampled : public MadeUpRecording {
 public:
  Sampled(double seconds, const std::function<bool(double at_s)>& in_first, std::mt19937_64& random,
          bool drawn = true)
      : MadeUpRecording({"cpu-clock"}) {
    perfdata::RecordedEvent& event = description.events.front();
    event.type = 1;  // PERF_TYPE_SOFTWARE, and config 0: PERF_COUNT_SW_CPU_CLOCK
    event.period = 0;
    event.frequency = kRate;
    event.inherited = true;
    map(5, 0x1000, 0x2000, "//anon");
    std::uniform_real_distribution<> part(0.5, 1.5);
    double at = 0;
    for (int i = 0; at < seconds; ++i) {
      if (i % 500 == 0) period_ = kSecond / kRate / (drawn ? part(random) : 1);
      at += period_ / kSecond;
      sample(5, in_first(at) ? kFirst : kSecondPlace, 0, static_cast<std::uint64_t>(period_));
    }
    profile.finish(description);
  }

  // The intervals of the share of the first place: with the order of the samples, and without.
  ShareInterval share() const { return share_with(row_changes()); }
  ShareInterval share_of_independent_samples() const {
    return share_with(std::numeric_limits<double>::infinity());
  }
  double row_changes() const {
    std::vector<std::size_t> rows;
    for (const CodePlace& cell : profile.cells()) rows.push_back(cell.offset == kFirst ? 0 : 1);
    return profile.changes(0, rows, 2)[0];
  }

 private:
  ShareInterval share_with(double changes) const {
    SampleCount count;
    for (std::size_t i = 0; i < profile.cells().size(); ++i)
      if (profile.cells()[i].offset == kFirst) count += profile.count(0, i);
    return profile.share95(0, count, profile.total(0), changes);
  }

  double period_ = 0;
};

struct Covered {
  double held = 0;   // part of the intervals
  double width = 0;  // over that of independent samples
};

// `program` makes a function of time and the true share that belongs to it.
using Program = std::pair<std::function<bool(double)>, double>;
Covered covered(double seconds, const std::function<Program(std::mt19937_64&)>& program) {
  std::mt19937_64 random(1);
  Covered covered;
  constexpr int kTimes = 400;
  for (int i = 0; i < kTimes; ++i) {
    const auto [in_first, truth] = program(random);
    const Sampled sampled(seconds, in_first, random);
    const ShareInterval found = sampled.share();
    const ShareInterval independent = sampled.share_of_independent_samples();
    covered.held += found.low <= truth && truth <= found.high ? 1.0 / kTimes : 0;
    covered.width += (found.high - found.low) / (independent.high - independent.low) / kTimes;
  }
  return covered;
}

TEST(Neighbours, TheSharesOfPhasesHaveNarrowIntervalsThatHold) {
  const Covered phases = covered(1, [](std::mt19937_64& random) {
    const double end = std::uniform_real_distribution<>(0.1, 0.9)(random);
    return Program([end](double at) { return at < end; }, end);
  });
  EXPECT_GE(phases.held, 0.93);
  EXPECT_LE(phases.width, 0.25);
}

TEST(Neighbours, TheSharesOfAMixtureHaveTheIntervalsOfIndependentSamples) {
  const Covered mixture = covered(1, [](std::mt19937_64& random) {
    return Program([&random](double) { return std::bernoulli_distribution(0.3)(random); }, 0.3);
  });
  EXPECT_GE(mixture.held, 0.93);
  EXPECT_NEAR(mixture.width, 1, 0.01);
}

// In step with the sampling, a rhythm looks like phases.
TEST(Neighbours, TheSharesOfARhythmHaveIntervalsThatHold) {
  for (const double periods : {0.5, 0.8, 1.0, 1.05, 2.0}) {
    const Covered rhythm = covered(1, [periods](std::mt19937_64& random) {
      const double begin = std::uniform_real_distribution<>()(random);
      const auto in_first = [begin, length = periods / kRate](double at) {
        return std::fmod(at / length + begin, 1.0) < 0.3;
      };
      return Program(in_first, 0.3);
    });
    EXPECT_GE(rhythm.held, 0.93) << periods;
    EXPECT_GE(rhythm.width, 0.9) << periods;
  }
}

TEST(Neighbours, IfThePeriodWasNotDrawnTheOrderSaysNothing) {
  std::mt19937_64 random(1);
  const auto phase = [](double at) { return at < 0.3; };
  EXPECT_FALSE(std::isinf(Sampled(1, phase, random).row_changes()));
  EXPECT_TRUE(std::isinf(Sampled(1, phase, random, false).row_changes()));
}

}  // namespace
}  // namespace tacho::TEST_FILE

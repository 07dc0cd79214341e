// Prefetches of a program's own, several at a time: each line comes when a load that asked for it
// then would have had it, and no more than twelve are on their way.
#include <gtest/gtest.h>

#include <string>

#include "simulator_made_up.hpp"

namespace tacho::simulator {
namespace {

// Programs of one instruction a cycle, on lines of one page. A load from memory waits 53 cycles.
class SimulatorPrefetches : public testing::Test {
 protected:
  void prefetch(std::uint64_t line) { program_.push_back({prefetch_, {address(line)}}); }
  void load(std::uint64_t line) { program_.push_back({load_, {address(line)}}); }
  void store(std::uint64_t line) { program_.push_back({store_, {address(line)}}); }
  void work(std::size_t cycles) { program_.insert(program_.end(), cycles, Step{filler_, {}}); }

  // What the program waits for loads, where its code and its page's address are known.
  std::uint64_t waits() const {
    Core counting(m_), sampling(m_);
    sampling.sample({{1U << CYCLES, 1'000}});
    for (Core* core : {&counting, &sampling}) {
      core->run(std::vector<Step>{{load_, {0x100000}}});
      core->run(program_);
    }
    EXPECT_EQ(named(counting.counts()), named(sampling.counts()));
    EXPECT_EQ(counting.counts()[L1D_LOAD_MISSES], 1U) << "what was on its way is found";
    return counting.counts()[STALL_LOAD] - 53;
  }

 private:
  static std::uint64_t address(std::uint64_t line) { return 0x100400 + line * 64; }

  model m_ = small_model();
  Code code_{m_};
  segment* load_ = code_.add(0x1000, {4}, {8});
  segment* prefetch_ = code_.add(0x1004, {4}, {1 | OPERAND_PREFETCH | OPERAND_GUARDED});
  segment* store_ = code_.add(0x1008, {4}, {8 | OPERAND_WRITES});
  segment* filler_ = code_.add(0x100c, {4}, {});
  std::vector<Step> program_;
};

struct Several {
  std::uint64_t lines, apart;
};

class SimulatorSeveralPrefetches : public SimulatorPrefetches,
                                   public testing::WithParamInterface<Several> {};

// The last line comes 53 cycles after it was asked for. All that is executed in them are the loads.
TEST_P(SimulatorSeveralPrefetches, AreOnTheirWayAtOnce) {
  const auto [lines, apart] = GetParam();
  for (std::uint64_t line = 0; line < lines; ++line) {
    if (line != 0) work(apart - 1);
    prefetch(line);
  }
  for (std::uint64_t line = 0; line < lines; ++line) load(line);
  EXPECT_EQ(waits(), 53 - lines);
}

INSTANTIATE_TEST_SUITE_P(Programs, SimulatorSeveralPrefetches,
                         testing::Values(Several{1, 1}, Several{2, 1}, Several{2, 20},
                                         Several{4, 7}, Several{8, 1}, Several{12, 1}));

TEST_F(SimulatorPrefetches, ALineOnItsWayComesNoLaterForBeingAskedForAgain) {
  prefetch(0);
  prefetch(1);
  work(8);
  prefetch(0);  // 10 cycles after the first
  load(0);
  EXPECT_EQ(waits(), 53U - 11);
}

TEST_F(SimulatorPrefetches, ALineThatHasComeIsNotOnItsWayAgain) {
  prefetch(0);
  prefetch(1);
  work(60);
  prefetch(0);
  load(0);
  load(1);
  EXPECT_EQ(waits(), 0U);
}

// A store does not wait for its line, which comes no sooner by it.
TEST_F(SimulatorPrefetches, ALoadBehindAStoreWaitsForTheLineAsWell) {
  prefetch(0);
  store(0);
  load(0);
  EXPECT_EQ(waits(), 53U - 2);
}

TEST_F(SimulatorPrefetches, AThirteenthWaitsForTheFirstToCome) {
  for (std::uint64_t line = 0; line < 13; ++line) prefetch(line);
  EXPECT_EQ(waits(), 53U - 12);
}

// It sets out when the first has come, two cycles before its load. The second has come in the first
// of them, so that a fourteenth finds room.
TEST_F(SimulatorPrefetches, AThirteenthIsOnItsWayAsLongAsAnyOther) {
  for (std::uint64_t line = 0; line < 14; ++line) prefetch(line);
  load(12);
  EXPECT_EQ(waits(), 53U - 12 + 53 - 2);
}

TEST_F(SimulatorPrefetches, ATwelfthThatIsAskedForAgainNeedsNoRoom) {
  for (std::uint64_t line = 0; line < 12; ++line) prefetch(line);
  prefetch(11);
  EXPECT_EQ(waits(), 0U);
}

}  // namespace
}  // namespace tacho::simulator

// Software prefetches, several at a time. A prefetched line is ready when a load at the prefetch
// would have had it. At most twelve lines are in fill buffers.
#include <gtest/gtest.h>

#include <string>

#include "simulator_random.hpp"

namespace tacho::simulator::TEST_FILE {
namespace {

// Programs of one instruction per cycle, on lines of one page. A load from memory waits 53 cycles.
class SimulatorPrefetches : public testing::Test {
 protected:
  void prefetch(std::uint64_t line) { program_.push_back({prefetch_, {address(line)}}); }
  void load(std::uint64_t line) { program_.push_back({load_, {address(line)}}); }
  void store(std::uint64_t line) { program_.push_back({store_, {address(line)}}); }
  void work(std::size_t cycles) { program_.insert(program_.end(), cycles, Step{filler_, {}}); }

  // The cycles that the program's loads wait, after its code and its page have been used once.
  std::uint64_t waits() const {
    Core counting(m_), sampling(m_);
    sampling.sample({{1U << CYCLES, 1'000}});
    for (Core* core : {&counting, &sampling}) {
      core->run(std::vector<Step>{{load_, {0x100000}}});
      core->run(program_);
    }
    EXPECT_EQ(to_text(counting.counts()), to_text(sampling.counts()));
    EXPECT_EQ(counting.counts()[L1D_LOAD_MISSES], 1U)
        << "a load that finds its line in a fill buffer has not missed";
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

// The last line is ready 53 cycles after its prefetch. Meanwhile only the loads are executed.
TEST_P(SimulatorSeveralPrefetches, Overlap) {
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

TEST_F(SimulatorPrefetches, ASecondPrefetchDoesNotDelayALine) {
  prefetch(0);
  prefetch(1);
  work(8);
  prefetch(0);  // 10 cycles after the first
  load(0);
  EXPECT_EQ(waits(), 53U - 11);
}

TEST_F(SimulatorPrefetches, APrefetchOfAPresentLineHasNoEffect) {
  prefetch(0);
  prefetch(1);
  work(60);
  prefetch(0);
  load(0);
  load(1);
  EXPECT_EQ(waits(), 0U);
}

// The store itself does not wait.
TEST_F(SimulatorPrefetches, ALoadAfterAStoreWaitsForThePrefetchedLine) {
  prefetch(0);
  store(0);
  load(0);
  EXPECT_EQ(waits(), 53U - 2);
}

TEST_F(SimulatorPrefetches, AThirteenthPrefetchWaitsForAFillBuffer) {
  for (std::uint64_t line = 0; line < 13; ++line) prefetch(line);
  EXPECT_EQ(waits(), 53U - 12);
}

// Its prefetch begins when the first line is ready, two cycles before its load. One cycle later the
// second line is ready, so that a fourteenth prefetch finds a fill buffer.
TEST_F(SimulatorPrefetches, AThirteenthLineTakesAsLongAsAnyOther) {
  for (std::uint64_t line = 0; line < 14; ++line) prefetch(line);
  load(12);
  EXPECT_EQ(waits(), 53U - 12 + 53 - 2);
}

TEST_F(SimulatorPrefetches, ASecondPrefetchOfALineNeedsNoFillBuffer) {
  for (std::uint64_t line = 0; line < 12; ++line) prefetch(line);
  prefetch(11);
  EXPECT_EQ(waits(), 0U);
}

}  // namespace
}  // namespace tacho::simulator::TEST_FILE

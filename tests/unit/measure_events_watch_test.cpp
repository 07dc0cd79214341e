// The time of a process's events, beside its CPU time. The process is the test itself.
#include "measure/events_watch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "process/taken_events.hpp"

namespace tacho::TEST_FILE {
namespace {

// Uses this much CPU time.
void work(double ns) {
  const double until = cpu_time_ns(::getpid()).value_or(0) + ns;
  while (cpu_time_ns(::getpid()).value_or(until) < until) {
  }
}

class Watch : public testing::Test {
 protected:
  bool taken(double events_ns) {
    watch_.before_reading();
    return watch_.were_taken_by_now(static_cast<std::uint64_t>(events_ns), {});
  }
  double start_ns_ = cpu_time_ns(::getpid()).value_or(0);
  double used_ns() const { return cpu_time_ns(::getpid()).value_or(0) - start_ns_; }
  EventsWatch watch_{::getpid(), {}};
};

TEST_F(Watch, EventsThatStandStillWhileTheProcessWorksWereTaken) {
  work(3e7);
  EXPECT_FALSE(taken(used_ns()));
  const double last = used_ns();
  work(4e6);
  EXPECT_FALSE(taken(last)) << "a CPU clock may lag by a tick, and then catch up";
  work(3e7);
  EXPECT_TRUE(taken(last));
  EXPECT_TRUE(taken(last + 1e9)) << "they do not come back";
}

TEST_F(Watch, AProcessThatWaitsHasNothingToCount) {
  EXPECT_FALSE(taken(1));
  EXPECT_FALSE(taken(1));
}

TEST_F(Watch, AfterTheEndTheWholeCommandIsJudged) {
  Ending ending;
  ending.has_usage = true;
  ending.user_s = 0.5;
  EXPECT_FALSE(watch_.were_taken_by_now(490'000'000, ending));
  EXPECT_TRUE(watch_.were_taken_by_now(5'000, ending));
}

TEST_F(Watch, WithoutAnEventThatTellsTheTimeNothingIsKnown) {
  work(3e7);
  EXPECT_FALSE(taken(0));
}

}  // namespace
}  // namespace tacho::TEST_FILE

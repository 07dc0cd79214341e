// The states of threads from made-up records, whose truth is known.
#include "wall/thread_states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "wall/running_levels.hpp"

namespace tacho::TEST_FILE {
namespace {

using perfdata::Command;
using perfdata::Exit;
using perfdata::Fork;
using perfdata::Record;
using perfdata::Sample;
using perfdata::Switch;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int32_t kPid = 7;

Record at(std::uint64_t time, auto what) {
  Record record;
  record.time_ns = time;
  record.what = what;
  return record;
}
Record out(std::uint64_t time, std::int32_t tid, bool preempted = false) {
  return at(time, Switch{.pid = kPid, .tid = tid, .out = true, .preempted = preempted});
}
Record in(std::uint64_t time, std::int32_t tid) {
  return at(time, Switch{.pid = kPid, .tid = tid});
}
Record started(std::uint64_t time, std::int32_t tid) {
  return at(time, Command{.pid = kPid, .tid = tid, .exec = true, .name = "app"});
}
Record forked(std::uint64_t time, std::int32_t tid) {
  return at(time, Fork{.pid = kPid, .parent_pid = kPid, .tid = tid, .parent_tid = kPid});
}
Record ended(std::uint64_t time, std::int32_t tid) {
  return at(time, Exit{.pid = kPid, .parent_pid = kPid, .tid = tid, .parent_tid = kPid});
}
Record sampled(std::uint64_t time, std::int32_t tid) {
  Sample sample;
  sample.pid = kPid;
  sample.tid = tid;
  return at(time, sample);
}

// What a sequence of records says.
struct Told {
  ThreadStates states;
  std::vector<TimeOff> absences;
  explicit Told(const std::vector<Record>& records, bool with_unseen = false,
                perfdata::OptionalU64 end = {}) {
    for (const Record& record : records)
      if (const auto absence = states.add(record, false)) absences.push_back(*absence);
    for (const TimeOff& absence : states.finish(with_unseen, end)) absences.push_back(absence);
    absences.insert(absences.end(), states.unknown().begin(), states.unknown().end());
    std::ranges::stable_sort(absences, {}, &TimeOff::begin_ns);
  }
  const ThreadTimes& thread(std::size_t i = 0) const { return states.threads().at(i); }
};

TEST(ThreadStates, AThreadRunsIsReadyAndWaits) {
  const Told told(
      {started(100, 7), out(150, 7), in(250, 7), out(260, 7, true), in(300, 7), ended(340, 7)});
  ASSERT_THAT(told.states.threads(), SizeIs(1));
  EXPECT_EQ(told.thread().running_ns, 50U + 10U + 40U);
  EXPECT_EQ(told.thread().waiting_ns, 100U);
  EXPECT_EQ(told.thread().ready_ns, 40U);
  EXPECT_EQ(told.thread().unknown_ns, 0U);
  EXPECT_EQ(told.thread().life_ns(), 240U);
  ASSERT_THAT(told.absences, SizeIs(2));
  EXPECT_EQ(told.absences[0].state, ThreadState::waiting);
  EXPECT_EQ(told.absences[0].begin_ns, 150U);
  EXPECT_EQ(told.absences[0].length_ns(), 100U);
  EXPECT_TRUE(told.absences[0].by_switch);
  EXPECT_EQ(told.absences[1].state, ThreadState::ready);
}

TEST(ThreadStates, AThreadIsReadyFromItsWakeUpOn) {
  ThreadStates states;
  states.add(started(100, 7), false);
  states.wake(7, 120, 8);  // it runs: this is no news
  states.add(out(150, 7), false);
  states.wake(7, 200, 8);
  states.wake(7, 210, 9);  // it was woken already
  const auto absence = states.add(in(230, 7), false);
  ASSERT_TRUE(absence);
  EXPECT_EQ(absence->woken_ns, 200U);
  EXPECT_EQ(absence->waker, 8);
  states.add(out(240, 7, true), false);
  states.wake(7, 245, 8);  // it did not wait
  EXPECT_FALSE(states.add(in(250, 7), false)->woken_ns);
  states.add(ended(300, 7), false);
  states.finish(false, {});
  ASSERT_THAT(states.threads(), SizeIs(1));  // the waker is no thread of the recording
  EXPECT_EQ(states.threads()[0].waiting_ns, 50U);
  EXPECT_EQ(states.threads()[0].ready_ns, 30U + 10U);
  EXPECT_EQ(states.threads()[0].running_ns, 50U + 10U + 50U);
}

TEST(ThreadStates, AWakeUpBeforeALossSaysNothing) {
  ThreadStates states;
  states.add(started(100, 7), false);
  states.add(out(150, 7), false);
  states.wake(7, 200, 8);
  states.add(at(220, perfdata::Lost{.count = 3, .id = {}}), false);
  EXPECT_FALSE(states.add(in(230, 7), false));
  ASSERT_THAT(states.unknown(), SizeIs(1));
  EXPECT_EQ(states.unknown()[0].length_ns(), 80U);
  EXPECT_FALSE(states.unknown()[0].woken_ns);
  states.add(ended(300, 7), false);
  states.finish(false, {});
  EXPECT_EQ(states.threads()[0].unknown_ns, 80U);
  EXPECT_EQ(states.threads()[0].ready_ns, 0U);
}

TEST(ThreadStates, ANewThreadIsReadyUntilItRuns) {
  const Told told({started(100, 7), forked(120, 8), in(150, 8), ended(170, 8), ended(200, 7)});
  ASSERT_THAT(told.absences, SizeIs(1));
  EXPECT_EQ(told.absences[0].state, ThreadState::ready);
  EXPECT_EQ(told.absences[0].length_ns(), 30U);
  EXPECT_FALSE(told.absences[0].by_switch);
  EXPECT_EQ(told.thread(1).running_ns, 20U);
}

TEST(ThreadStates, AWaitMayBeForTheEndOfAThread) {
  const Told told({started(100, 7), forked(120, 8), in(121, 8), out(130, 7), ended(170, 8),
                   in(180, 7), out(200, 7), in(300, 7), ended(310, 7)});
  ASSERT_THAT(told.absences, SizeIs(3));  // the first one: thread 8 had just been made
  ASSERT_TRUE(told.absences[1].awaited);
  EXPECT_EQ(told.absences[1].awaited->tid, 8);
  EXPECT_EQ(told.absences[1].awaited->time_ns, 170U);
  EXPECT_FALSE(told.absences[2].awaited);
}

// The kernel switches a thread out for the last time after its end.
TEST(ThreadStates, AThreadThatHasEndedDoesNotComeBack) {
  const Told told({started(100, 7), ended(150, 7), sampled(152, 7), out(155, 7)}, false, 500);
  ASSERT_THAT(told.states.threads(), SizeIs(1));
  EXPECT_EQ(told.thread().life_ns(), 50U);
  EXPECT_THAT(told.absences, IsEmpty());
}

// The last switch of a thread that the kernel has removed has the number -1.
TEST(ThreadStates, ARemovedThreadIsNobody) {
  const Told told({started(100, 7), out(120, -1), ended(150, 7)});
  EXPECT_THAT(told.states.threads(), SizeIs(1));
}

// Its beginning may have been lost, so it is not known what it did before.
TEST(ThreadStates, AThreadThatIsFirstSeenAfterALossBeginsThere) {
  const Told told({started(100, 7), at(150, perfdata::Lost{.count = 3, .id = {}}), in(180, 9),
                   out(190, 9), ended(200, 9), ended(210, 7)});
  ASSERT_THAT(told.states.threads(), SizeIs(2));
  EXPECT_EQ(told.thread(1).life_ns(), 20U);
  EXPECT_EQ(told.thread(1).waiting_ns, 0U);
}

TEST(ThreadStates, AThreadKnowsItsParent) {
  const Told told({started(100, 7), forked(120, 8), in(150, 8), ended(170, 8), ended(200, 7)});
  EXPECT_EQ(told.thread(0).parent, -1);
  EXPECT_EQ(told.thread(1).parent, 7);
}

TEST(ThreadStates, AWaitThatIsNotOverLastsToTheEnd) {
  const Told told({started(100, 7), out(150, 7),
                   at(400, Command{.pid = 9, .tid = 9, .exec = true, .name = "other"})},
                  false, 1000);
  ASSERT_THAT(told.absences, SizeIs(1));
  EXPECT_EQ(told.absences[0].end_ns, 1000U);
  EXPECT_EQ(told.thread().waiting_ns, 850U);
  EXPECT_EQ(told.thread(1).running_ns, 600U);
}

TEST(ThreadStates, BeforeItsFirstRecordAThreadDidTheOpposite) {
  const Told told({started(100, 1), in(150, 8), out(160, 8), out(170, 9), in(190, 9)}, false, 200);
  EXPECT_EQ(told.thread(1).tid + told.thread(2).tid, 8 + 9);
  const ThreadTimes& waited = told.thread(told.thread(1).tid == 8 ? 1 : 2);
  const ThreadTimes& ran = told.thread(told.thread(1).tid == 8 ? 2 : 1);
  EXPECT_EQ(waited.waiting_ns, 50U + 40U);
  EXPECT_EQ(waited.running_ns, 10U);
  EXPECT_EQ(ran.running_ns, 70U + 10U);
  EXPECT_EQ(ran.waiting_ns, 20U);
}

TEST(ThreadStates, ASampleOfRunningTimeSaysThatAThreadRuns) {
  const Told told({started(100, 1), sampled(150, 8), out(180, 8)}, false, 200);
  EXPECT_EQ(told.thread(1).running_ns, 80U);
  EXPECT_EQ(told.thread(1).waiting_ns, 20U);
}

TEST(ThreadStates, AThreadThatWasThereBeforeAndHasNoRecordWaited) {
  Record named;
  named.what = Command{.pid = kPid, .tid = 8, .name = "idle"};
  EXPECT_THAT(Told({named, started(100, 7), ended(300, 7)}, false).states.threads(), SizeIs(1));
  const Told told({named, started(100, 7), ended(300, 7)}, true);
  ASSERT_THAT(told.states.threads(), SizeIs(2));
  ASSERT_THAT(told.absences, SizeIs(1));
  EXPECT_EQ(told.absences[0].tid, 8);
  EXPECT_EQ(told.absences[0].length_ns(), 200U);
  EXPECT_FALSE(told.absences[0].by_switch);
}

TEST(ThreadStates, AThreadThatCouldRunAtTheBeginningDidNotWait) {
  for (const bool switches : {false, true}) {
    ThreadStates states;
    states.pass(100);
    Record named = at(0, Command{.pid = kPid, .tid = 8, .exec = false, .name = "app"});
    named.time_ns = 0;
    states.add(named, false);
    states.was_runnable(8, true);
    if (switches) states.add(in(130, 8), false);  // it had no CPU until then
    states.finish(true, 200);
    ASSERT_THAT(states.threads(), SizeIs(1));
    const ThreadTimes& thread = states.threads().front();
    EXPECT_EQ(thread.waiting_ns, 0U);
    EXPECT_EQ(thread.ready_ns, switches ? 30U : 0U);
    EXPECT_EQ(thread.running_ns, switches ? 70U : 100U);
  }
}

TEST(ThreadStates, WhatCameBeforeTheBeginningIsNoPartOfIt) {
  ThreadStates states;
  states.pass(100);
  states.add(forked(60, 8), false);
  states.add(in(70, 8), false);
  states.add(out(150, 8), false);
  states.finish(true, 200);
  const auto found = std::ranges::find(states.threads(), 8, &ThreadTimes::tid);
  ASSERT_NE(found, states.threads().end());
  EXPECT_EQ(found->begin_ns, 100U);
  EXPECT_EQ(found->running_ns, 50U);
  EXPECT_EQ(found->waiting_ns, 50U);
}

TEST(ThreadStates, AThreadThatExecsGetsTheNumberOfTheFirst) {
  const Told told({started(100, 7), forked(110, 8), in(115, 8), out(120, 7), started(150, 7),
                   out(160, 7), in(200, 7), ended(210, 7)});
  ASSERT_THAT(told.states.threads(), SizeIs(3));
  EXPECT_EQ(told.thread(0).running_ns, 20U);  // the first one, which the exec ended
  EXPECT_EQ(told.thread(1).running_ns, 35U);  // 8, until the exec
  EXPECT_EQ(told.thread(1).life_ns(), 40U);
  EXPECT_EQ(told.thread(2).running_ns, 20U);  // 7 again
  EXPECT_EQ(told.thread(2).waiting_ns, 40U);
}

TEST(ThreadStates, WhatContradictsItselfIsNotKnown) {
  // The switch in at some time between 150 and 180 is missing, then the switch out.
  const Told told(
      {started(100, 7), out(150, 7), out(180, 7), in(200, 7), in(250, 7), ended(260, 7)});
  EXPECT_EQ(told.thread().running_ns, 50U + 10U);
  EXPECT_EQ(told.thread().waiting_ns, 20U);
  EXPECT_EQ(told.thread().unknown_ns, 30U + 50U);
  EXPECT_EQ(told.thread().life_ns(), 160U);
}

TEST(ThreadStates, WhatThreadsDidWhileRecordsWereLostIsNotKnown) {
  const Told told({started(100, 7), out(150, 7), at(160, perfdata::Lost{.count = 3, .id = {}}),
                   in(200, 7), out(230, 7), in(250, 7), ended(260, 7)});
  EXPECT_EQ(told.thread().unknown_ns, 50U);
  EXPECT_EQ(told.thread().waiting_ns, 20U);
  EXPECT_EQ(told.thread().running_ns, 50U + 30U + 10U);
  ASSERT_THAT(told.absences, SizeIs(2));
  EXPECT_EQ(told.absences[0].state, ThreadState::unknown);
}

TEST(ThreadStates, IdleThreadsOfTheKernelAreNoThreads) {
  const Told told({started(100, 7), at(110, Switch{.pid = 0, .tid = 0}), ended(200, 7)});
  EXPECT_THAT(told.states.threads(), SizeIs(1));
}

TEST(ThreadStates, OneLostRecordHidesNoWait) {
  const auto lost = at(160, perfdata::Lost{.count = 1, .id = {}});
  const Told agrees({started(100, 7), out(150, 7), lost, in(190, 7), ended(200, 7)});
  EXPECT_EQ(agrees.thread(0).waiting_ns, 40U);
  EXPECT_EQ(agrees.thread(0).unknown_ns, 0U);
  const Told contradicts(
      {started(100, 7), out(150, 7), lost, out(190, 7), in(195, 7), ended(200, 7)});
  EXPECT_EQ(contradicts.thread(0).unknown_ns, 40U);
}

TEST(ThreadStates, AThreadThatIsPreemptedWhileItEndsIsNotAnotherThread) {
  const Told told({started(100, 7), forked(110, 8), in(115, 8), ended(120, 8), out(121, 8, true),
                   in(122, 8), sampled(123, 8), out(124, 8), ended(200, 7)});
  ASSERT_THAT(told.states.threads(), SizeIs(2));
  EXPECT_EQ(told.thread(1).life_ns(), 10U);
}

TEST(ThreadStates, ANumberWhoseNewBeginningMayBeLostIsAnotherThread) {
  const Told told({started(100, 7), forked(110, 8), in(115, 8), ended(120, 8),
                   at(130, perfdata::Lost{.count = 3, .id = {}}), in(140, 8), out(150, 8),
                   ended(200, 7)});
  EXPECT_THAT(told.states.threads(), SizeIs(3));
}

TEST(ThreadStates, ANumberThatIsUsedAgainIsAnotherThread) {
  const Told told({started(100, 7), forked(110, 8), in(115, 8), ended(120, 8), forked(150, 8),
                   in(155, 8), ended(170, 8), ended(200, 7)});
  ASSERT_THAT(told.states.threads(), SizeIs(3));
  EXPECT_EQ(told.thread(1).life_ns(), 10U);
  EXPECT_EQ(told.thread(2).life_ns(), 20U);
}

TEST(RunningLevels, TellHowManyThreadsRanAtOnce) {
  const Told told({started(100, 7), forked(110, 8), in(120, 8), out(150, 7), out(170, 8),
                   in(180, 7), ended(200, 7)},
                  false, 200);
  const auto levels = running_levels(told.states.threads(), told.absences);
  const auto between = [&](std::uint64_t from, std::uint64_t to) {
    std::vector<std::uint64_t> times;
    add_time_by_level(levels, from, to, times);
    return times;
  };
  EXPECT_THAT(between(100, 200), ElementsAre(10U, 20U + 20U + 20U, 30U));
  EXPECT_THAT(between(90, 220), ElementsAre(10U + 10U + 20U, 60U, 30U)) << "before and after";
  EXPECT_THAT(between(145, 155), ElementsAre(0U, 5U, 5U));
  EXPECT_EQ(running_at(levels, 99), 0U);
  EXPECT_EQ(running_at(levels, 119), 1U);
  EXPECT_EQ(running_at(levels, 120), 2U);
  EXPECT_EQ(running_at(levels, 175), 0U);
}

TEST(ThreadStates, WithoutRecordsThereIsNothing) {
  const Told told({});
  EXPECT_THAT(told.states.threads(), IsEmpty());
  EXPECT_THAT(running_levels(told.states.threads(), told.absences), IsEmpty());
}

// Any sequence: the parts of a life are the life, and no thread runs a negative time.
TEST(ThreadStates, StatesFillEachLifeWhateverIsLost) {
  std::mt19937 random(1);
  const auto draw = [&](int n) { return std::uniform_int_distribution<>(0, n - 1)(random); };
  for (int round = 0; round < 200; ++round) {
    std::vector<Record> records;
    std::uint64_t time = 1000;
    for (int i = 0; i < 60; ++i) {
      time += static_cast<std::uint64_t>(draw(50));
      const std::int32_t tid = 1 + draw(4);
      switch (draw(6)) {
        case 0:
          records.push_back(forked(time, tid));
          break;
        case 1:
          records.push_back(ended(time, tid));
          break;
        case 2:
          records.push_back(sampled(time, tid));
          break;
        case 3:
          records.push_back(in(time, tid));
          break;
        default:
          records.push_back(out(time, tid, draw(2) == 0));
      }
    }
    const Told told(records, true);
    std::uint64_t running = 0;
    for (const ThreadTimes& thread : told.states.threads()) {
      EXPECT_EQ(thread.running_ns + thread.ready_ns + thread.waiting_ns + thread.unknown_ns,
                thread.life_ns());
      running += thread.running_ns;
    }
    std::vector<std::uint64_t> at;
    add_time_by_level(running_levels(told.states.threads(), told.absences), *told.states.begin_ns(),
                      *told.states.end_ns(), at);
    std::uint64_t whole = 0, together = 0;
    for (std::size_t n = 0; n < at.size(); ++n) {
      whole += at[n];
      together += n * at[n];
    }
    EXPECT_EQ(whole, *told.states.end_ns() - *told.states.begin_ns());
    EXPECT_EQ(together, running);
    EXPECT_LE(running, 4 * (time - 1000));
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE

// Which wake-ups of a machine are written to a recording of some threads.
#include "record/wake_records.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using Records = std::vector<std::byte>;

constexpr std::uint64_t kId = 77;
constexpr pid_t kMain = 100, kNew = 101, kStranger = 500;

// The words of a record behind its header.
Records record(std::uint32_t type, const std::vector<std::uint32_t>& words) {
  perf_event_header header{.type = type, .misc = 0, .size = 0};
  header.size = static_cast<std::uint16_t>(sizeof header + words.size() * sizeof words[0]);
  Records bytes(header.size);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, words.data(), words.size() * sizeof words[0]);
  return bytes;
}

Records fork(pid_t tid) {
  const auto number = static_cast<std::uint32_t>(tid);
  return record(PERF_RECORD_FORK, {kMain, kMain, number, kMain, 0, 0});
}
Records exit(pid_t tid) {
  const auto number = static_cast<std::uint32_t>(tid);
  return record(PERF_RECORD_EXIT, {kMain, kMain, number, kMain, 0, 0});
}
Records switched(pid_t tid) {
  return record(PERF_RECORD_SWITCH, {kMain, static_cast<std::uint32_t>(tid), 0, 0});
}
Records named(pid_t tid) {
  return record(PERF_RECORD_COMM, {kMain, static_cast<std::uint32_t>(tid), 0, 0});
}

// Its fields are the kernel's 8 bytes of all tracepoints, and the number of the woken thread.
Records wake_up(pid_t woken, pid_t waker = 0) {
  const auto by = static_cast<std::uint32_t>(waker);
  return record(PERF_RECORD_SAMPLE,
                {kId, 0, 0, 0, by, by, 5, 0, 12, 0, 0, static_cast<std::uint32_t>(woken)});
}

struct Wakes : testing::Test {
  MadeUpTree tree;
  Event event;
  perfdata::WrittenEvent written{.name = {}, .attributes = {}, .ids = {kId}};
  std::vector<PresentThread> present{{kMain, kMain}};

  Wakes() {
    tree.write("waking/format",
               "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
               "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n");
    event.tracepoint = tree.path("waking");
  }
};

// What is written of these records, which one buffer has.
Records kept(WakeRecords& wakes, const std::vector<Records>& records) {
  Records buffer;
  for (const Records& each : records) buffer.insert(buffer.end(), each.begin(), each.end());
  Records written;
  for (const auto stretch : wakes.keep(buffer))
    written.insert(written.end(), stretch.begin(), stretch.end());
  return written;
}

Records joined(const std::vector<Records>& records) {
  Records all;
  for (const Records& each : records) all.insert(all.end(), each.begin(), each.end());
  return all;
}

TEST_F(Wakes, ThoseOfOtherThreadsAreDropped) {
  WakeRecords wakes(event, written, present);
  EXPECT_EQ(kept(wakes, {wake_up(kStranger), wake_up(kMain), wake_up(kStranger), switched(kMain),
                         wake_up(kStranger)}),
            joined({wake_up(kMain), switched(kMain)}));
  EXPECT_EQ(wakes.end_round({}), Records());
}

TEST_F(Wakes, AThreadMayBeginInABufferThatIsReadLater) {
  WakeRecords wakes(event, written, present);
  EXPECT_EQ(kept(wakes, {wake_up(kNew), wake_up(kStranger)}), Records());
  EXPECT_EQ(kept(wakes, {fork(kNew)}), fork(kNew));
  EXPECT_EQ(wakes.end_round({}), wake_up(kNew));
  EXPECT_EQ(kept(wakes, {wake_up(kNew)}), wake_up(kNew));
}

TEST_F(Wakes, ANumberIsAStrangersAfterTheEndOfItsThread) {
  WakeRecords wakes(event, written, present);
  const std::vector<Records> life{fork(kNew), wake_up(kNew), exit(kNew), switched(kNew)};
  EXPECT_EQ(kept(wakes, life), joined(life));
  EXPECT_EQ(kept(wakes, {wake_up(kNew)}), Records());
}

TEST_F(Wakes, AThreadThatExecutesAProgramTakesTheFirstOnesNumber) {
  WakeRecords wakes(event, written, present);
  const std::vector<Records> life{exit(kMain), named(kMain), wake_up(kMain)};
  EXPECT_EQ(kept(wakes, life), joined(life));
}

TEST_F(Wakes, AllAreKeptIfTheFieldsAreNotKnown) {
  event.tracepoint = tree.path("missing");
  WakeRecords wakes(event, written, present);
  EXPECT_EQ(kept(wakes, {wake_up(kStranger)}), wake_up(kStranger));
}

TEST_F(Wakes, WakersOfOtherProcessesHaveTheirName) {
  WakeRecords wakes(event, written, present);
  kept(wakes, {wake_up(kMain, ::getpid())});
  const Records name = wakes.end_round({});
  ASSERT_GE(name.size(), sizeof(perf_event_header) + 8);
  std::uint32_t tid = 0;
  std::memcpy(&tid, name.data() + sizeof(perf_event_header) + 4, sizeof tid);
  EXPECT_EQ(static_cast<pid_t>(tid), ::getpid());
  kept(wakes, {wake_up(kMain, ::getpid())});
  EXPECT_EQ(wakes.end_round({}), Records()) << "it is known now";
}

}  // namespace
}  // namespace tacho::TEST_FILE

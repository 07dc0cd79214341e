// Compares the queue that sorts records by time with the sort of the standard library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "perfdata/time_queue.hpp"

namespace TEST_FILE {
namespace {

using tacho::perfdata::Bytes;
using tacho::perfdata::TimeQueue;

struct Stamped {
  std::uint64_t time;
  std::uint64_t serial;
  bool operator==(const Stamped&) const = default;
};

void add(TimeQueue& queue, Stamped stamped) {
  queue.add(stamped.time, std::as_bytes(std::span(&stamped, 1)), stamped.serial);
}

void drain(TimeQueue& queue, std::vector<Stamped>& into) {
  while (const TimeQueue::Item* item = queue.next()) {
    Stamped stamped{};
    ASSERT_EQ(item->size, sizeof(stamped));
    std::memcpy(&stamped, item->bytes, sizeof(stamped));
    EXPECT_EQ(stamped.time, item->time);
    EXPECT_EQ(stamped.serial, item->offset);
    into.push_back(stamped);
  }
}

bool earlier(const Stamped& a, const Stamped& b) {
  return a.time < b.time;
}

// The buffers of five CPUs are emptied one after the other. Each has the records since its last
// turn.
TEST(TimeQueue, OrdersRoundsAsOneSortWould) {
  constexpr std::uint64_t kCpus = 5, kTurn = 50;
  std::mt19937_64 random(1);
  TimeQueue queue;
  std::vector<Stamped> all, out;
  for (std::uint64_t round = 1; round <= 100; ++round) {
    for (std::uint64_t cpu = 0; cpu < kCpus; ++cpu) {
      const std::uint64_t emptied = (round * kCpus + cpu) * kTurn;
      std::vector<std::uint64_t> times(random() % 200);
      for (std::uint64_t& time : times) time = emptied - random() % (kCpus * kTurn);
      std::ranges::sort(times);
      for (const std::uint64_t time : times) {
        add(queue, {time, all.size()});
        all.push_back({time, all.size()});
      }
    }
    queue.end_round();
    drain(queue, out);
  }
  EXPECT_GT(out.size(), all.size() * 9 / 10);  // the queue did not wait for the end
  queue.end();
  drain(queue, out);
  std::ranges::stable_sort(all, earlier);
  EXPECT_EQ(out, all);
}

TEST(TimeQueue, KeepsTheOrderOfEqualTimes) {
  TimeQueue queue;
  std::vector<Stamped> out;
  std::uint64_t serial = 0;
  for (const std::uint64_t time : {5U, 5U, 3U, 5U, 3U}) add(queue, {time, serial++});
  queue.end();
  drain(queue, out);
  EXPECT_EQ(out, (std::vector<Stamped>{{3, 2}, {3, 4}, {5, 0}, {5, 1}, {5, 3}}));
}

TEST(TimeQueue, KeepsRecordsThatTheNextRoundMayPrecede) {
  TimeQueue queue;
  std::vector<Stamped> out;
  add(queue, {10, 0});
  queue.end_round();
  drain(queue, out);
  EXPECT_TRUE(out.empty());
  add(queue, {8, 1});
  queue.end_round();
  drain(queue, out);
  EXPECT_EQ(out, (std::vector<Stamped>{{8, 1}, {10, 0}}));
}

// Without rounds the queue would keep all records until the end.
TEST(TimeQueue, ReleasesTheEarlierHalfWhenItIsFull) {
  TimeQueue queue(1 << 20);
  std::vector<Stamped> out;
  constexpr std::uint64_t kRecords = 200'000;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    add(queue, {i ^ 1, i});
    drain(queue, out);
    ASSERT_LT(i + 1 - out.size(), 30'000U);
  }
  queue.end();
  drain(queue, out);
  ASSERT_EQ(out.size(), kRecords);
  EXPECT_TRUE(std::ranges::is_sorted(out, earlier));
}

}  // namespace
}  // namespace TEST_FILE

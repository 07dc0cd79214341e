// Pauses samples of switches, and opens windows for them.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "perfdata_builder.hpp"
#include "record/sample_limits.hpp"

namespace tacho::TEST_FILE {
namespace {

using perf_format::Attr;
using perf_format::Order;
using perf_format::Packed;
using perfdata::Inventory;

constexpr Order kHere = Order::little;
constexpr SampleLimits::Clock::duration kTick = std::chrono::milliseconds(100);

// Notes which events it paused, and which it let go on.
struct NotingSampler final : Sampler {
  std::vector<OpenedEvent> opened = {{.name = "context-switches", .attributes = {}, .ids = {1}},
                                     {.name = "sched:sched_waking", .attributes = {}, .ids = {2}}};
  std::vector<std::pair<std::size_t, bool>> pauses;

  const std::vector<OpenedEvent>& events() const override { return opened; }
  Result<void> enable() override { return {}; }
  Result<void> disable() override { return {}; }
  int descriptor() const override { return -1; }
  Result<void> drain(const Sink&) override { return {}; }
  std::vector<std::optional<double>> coverage() const override { return {}; }
  void dither(double) override {}
  Result<void> pause(std::size_t event, bool paused) override {
    pauses.emplace_back(event, paused);
    return {};
  }
};

// At most three samples of the first event in a tick, and five of the second, which has no window.
std::vector<EventGroup> two_events() {
  Event first, second;
  first.sampling.most_in_tick = 3;
  second.sampling.most_in_tick = 5;
  second.sampling.without_chain = true;
  return {{first}, {second}};
}

Inventory inventory() {
  const Attr attr{.type = 1,
                  .size = 128,
                  .config = 3,
                  .period = 1,
                  .sample_type = (1U << 16U) | 1 | 2 | 4};  // identifier, IP, TID, time
  const std::string bytes = to_bytes(attr, kHere);
  const auto attributes = std::as_bytes(std::span(bytes));
  const std::vector<std::byte> copy(attributes.begin(), attributes.end());
  const std::vector<perfdata::WrittenEvent> events{{"context-switches", copy, {1}},
                                                   {"sched:sched_waking", copy, {2}}};
  return Inventory(events);
}

void add(Inventory& to, const std::string& record, int times) {
  for (int i = 0; i < times; ++i) to.note(std::as_bytes(std::span(record)));
}

void add_samples(Inventory& to, std::uint64_t id, int times) {
  add(to, perf_format::record(kHere, 9, 2, Packed(kHere).u64(id).u64(0).u32(7).u32(7).u64(1).str()),
      times);
}

void add_switches(Inventory& to, int times) {
  add(to, perf_format::record(kHere, 14, 0, Packed(kHere).u64(1).str()), 2 * times);
}

using Pauses = std::vector<std::pair<std::size_t, bool>>;

class Limits : public testing::Test {
 protected:
  NotingSampler sampler_;
  SampleLimits limits_{two_events(), sampler_};
  Inventory inventory_ = inventory();
  std::mt19937_64 random_{1};
};

TEST_F(Limits, AreOfEachEventApart) {
  add_samples(inventory_, 1, 3);
  add_samples(inventory_, 2, 5);
  ASSERT_TRUE(limits_.pause_if_too_many(inventory_));
  EXPECT_EQ(sampler_.pauses, Pauses{});
  EXPECT_FALSE(limits_.have_paused());
  add_samples(inventory_, 1, 1);
  ASSERT_TRUE(limits_.pause_if_too_many(inventory_));
  ASSERT_TRUE(limits_.pause_if_too_many(inventory_));
  EXPECT_EQ(sampler_.pauses, (Pauses{{0, true}})) << "once";
  EXPECT_TRUE(limits_.have_paused());
}

TEST_F(Limits, AreOfOneTick) {
  for (int tick = 0; tick < 3; ++tick) {
    add_samples(inventory_, 1, 3);
    ASSERT_TRUE(limits_.pause_if_too_many(inventory_));
    ASSERT_TRUE(limits_.begin_tick(inventory_, kTick, random_));
  }
  EXPECT_EQ(sampler_.pauses, Pauses{});
}

TEST_F(Limits, EndWhenThereAreFewSwitches) {
  add_samples(inventory_, 1, 4);
  add_switches(inventory_, 4);
  ASSERT_TRUE(limits_.pause_if_too_many(inventory_));
  ASSERT_TRUE(limits_.begin_tick(inventory_, kTick, random_));
  EXPECT_EQ(sampler_.pauses, (Pauses{{0, true}})) << "there were four switches in this tick";
  ASSERT_TRUE(limits_.begin_tick(inventory_, kTick, random_));
  EXPECT_EQ(sampler_.pauses, (Pauses{{0, true}, {0, false}}));
}

TEST_F(Limits, OpenAWindowForEventsWithChains) {
  EXPECT_EQ(limits_.next_turn(), SampleLimits::Clock::time_point::max());
  add_samples(inventory_, 1, 4);
  add_samples(inventory_, 2, 6);
  add_switches(inventory_, 10);
  ASSERT_TRUE(limits_.pause_if_too_many(inventory_));
  const auto begun = SampleLimits::Clock::now();
  ASSERT_TRUE(limits_.begin_tick(inventory_, kTick, random_));
  sampler_.pauses.clear();
  const auto opens = limits_.next_turn();
  EXPECT_LE(begun, opens);
  EXPECT_LT(opens, SampleLimits::Clock::now() + kTick);
  while (SampleLimits::Clock::now() < opens) {
  }
  ASSERT_TRUE(limits_.turn_window());
  EXPECT_EQ(sampler_.pauses, (Pauses{{0, false}})) << "it is open";
  while (SampleLimits::Clock::now() < limits_.next_turn()) {
  }
  ASSERT_TRUE(limits_.turn_window());
  EXPECT_EQ(sampler_.pauses, (Pauses{{0, false}, {0, true}})) << "it is closed";
  EXPECT_EQ(limits_.next_turn(), SampleLimits::Clock::time_point::max()) << "until the next tick";
}

}  // namespace
}  // namespace tacho::TEST_FILE

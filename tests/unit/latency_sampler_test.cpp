// Memory has the pages that it reports, and a sampler takes the requested samples.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "latency/chase/memory.hpp"
#include "latency/chase/sampler.hpp"

namespace tacho::chase::TEST_FILE {
namespace {

constexpr std::chrono::milliseconds kLongest{200};
constexpr auto kGoOn = [] { return false; };

std::uintptr_t address(const Memory& memory) {
  return reinterpret_cast<std::uintptr_t>(memory.bytes().data());
}

TEST(ChaseMemory, IsOfWholePagesAndTouched) {
  const auto memory = Memory::obtain(100'000, Pages::small);
  ASSERT_TRUE(memory) << memory.error().what;
  EXPECT_EQ(memory->page_bytes(), small_page_bytes());
  EXPECT_EQ(memory->bytes().size() % small_page_bytes(), 0U);
  EXPECT_GE(memory->bytes().size(), 100'000U);
  EXPECT_EQ(address(*memory) % small_page_bytes(), 0U);
  // Bit 63 of an entry of the page map: present.
  const Fd map(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  std::vector<std::uint64_t> entries(memory->bytes().size() / small_page_bytes());
  const std::size_t size = entries.size() * sizeof entries[0];
  ASSERT_EQ(::pread(map.get(), entries.data(), size,
                    static_cast<off_t>(address(*memory) / small_page_bytes() * sizeof entries[0])),
            static_cast<ssize_t>(size));
  for (const std::uint64_t entry : entries) EXPECT_TRUE(entry >> 63U);
}

TEST(ChaseMemory, HugePagesAreObtainedOrTheErrorGivesTheReason) {
  const auto memory = Memory::obtain(std::size_t{8} << 20U, Pages::huge);
  if (!memory) {
    EXPECT_NE(memory.error().what.find("no huge pages: "), std::string::npos);
    EXPECT_FALSE(memory.error().remedy.empty());
    GTEST_SKIP() << memory.error().what;
  }
  EXPECT_EQ(memory->page_bytes(), huge_page_bytes());
  EXPECT_EQ(address(*memory) % huge_page_bytes(), 0U);
}

TEST(ChaseMemory, MoreThanAnyMachineHasIsAnError) {
  EXPECT_FALSE(Memory::obtain(0, Pages::small));
  EXPECT_FALSE(Memory::obtain(SIZE_MAX, Pages::small));
  const auto memory = Memory::obtain(SIZE_MAX / 8, Pages::small);
  ASSERT_FALSE(memory);
  EXPECT_NE(memory.error().what.find("cannot map"), std::string::npos) << memory.error().what;
}

TEST(ChaseMemory, ANodeThatIsNotThereIsAnError) {
  const auto memory = Memory::obtain(4096, Pages::small, 1000);
  ASSERT_FALSE(memory);
  EXPECT_NE(memory.error().what.find("NUMA node 1000"), std::string::npos) << memory.error().what;
}

TEST(ChaseSampler, TakesTheRequestedSamplesAndAsManyOfTheBias) {
  const auto memory = Memory::obtain(std::size_t{64} << 10U, Pages::small);
  ASSERT_TRUE(memory);
  List list(memory->bytes(), {});
  list.resize(128);
  const Effort effort{.singles = 640, .blocks = 128};
  const auto run = Sampler(Access::load, Timer::ticks, effort, kGoOn).measure(list, kLongest);
  ASSERT_TRUE(run);
  const LatencySample& sample = *run;
  EXPECT_GE(sample.singles.total(), 64U);
  EXPECT_GE(sample.blocks.total(), 64U);
  EXPECT_EQ(sample.bias.total(), sample.singles.total() + sample.blocks.total());
  EXPECT_EQ(sample.block_loads, kBlock);
  EXPECT_GT(sample.cycles_per_tick, 0);
  EXPECT_GE(sample.disturbed_share, 0);
  EXPECT_LE(sample.disturbed_share, 1);
  EXPECT_EQ(sample.disturbance.empty(), sample.disturbed_share == 0);
}

TEST(ChaseSampler, LoadsFromMemoryTakeLonger) {
  const auto memory = Memory::obtain(std::size_t{64} << 20U, Pages::small);
  ASSERT_TRUE(memory);
  List list(memory->bytes(), {});
  Sampler sampler(Access::load, Timer::ticks, {}, kGoOn);
  list.resize(64);
  const auto near = sampler.measure(list, kLongest);
  list.resize(list.capacity());
  const auto far = sampler.measure(list, kLongest);
  ASSERT_TRUE(near && far);
  // Blocks of 64 loads from the first level and from memory: no clock is too coarse for that.
  EXPECT_GT(far->blocks.quantile(0.5), 2 * near->blocks.quantile(0.5));
}

// Otherwise 64 blocks of a list in memory last longer than a time slice of the kernel.
TEST(ChaseSampler, BlocksOfSlowLoadsAreShorter) {
  const auto memory = Memory::obtain(std::size_t{64} << 20U, Pages::small);
  ASSERT_TRUE(memory);
  List list(memory->bytes(), {});
  constexpr unsigned kTimes = 64;
  Sampler sampler(Access::load, Timer::ticks, {.block_times = kTimes}, kGoOn);
  list.resize(64);
  const auto near = sampler.measure(list, kLongest);
  list.resize(list.capacity());
  const auto far = sampler.measure(list, kLongest);
  ASSERT_TRUE(near && far);
  EXPECT_LT(far->block_loads, near->block_loads);
  EXPECT_LE(near->block_loads, kTimes * kBlock);
  EXPECT_EQ(far->block_loads % kBlock, 0U);
  EXPECT_GT(far->blocks.quantile(0.5), near->singles.quantile(0.5));
}

TEST(ChaseSharedCore, IsDetectedIfReadingTheClockTakesMoreCycles) {
  SharedCore core;
  EXPECT_FALSE(core.detected(64, 1.15));
  EXPECT_FALSE(core.detected(54, 1.4)) << "a faster clock: fewer ticks, as many cycles";
  EXPECT_TRUE(core.detected(82, 1.15));
  EXPECT_FALSE(core.detected(66, 1.15));
  SharedCore coarse;  // 62 cycles a tick
  EXPECT_FALSE(coarse.detected(0, 62));
  EXPECT_FALSE(coarse.detected(1, 62)) << "a step of the clock says nothing";
}

TEST(ChaseSampler, EndsWhenStopped) {
  const auto memory = Memory::obtain(4096, Pages::small);
  ASSERT_TRUE(memory);
  EXPECT_FALSE(Sampler(Access::load, Timer::ticks, {}, [] {
                 return true;
               }).measure(List(memory->bytes(), {}), kLongest));
}

}  // namespace
}  // namespace tacho::chase::TEST_FILE

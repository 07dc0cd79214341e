// The model of the host, read from made-up sysfs trees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "events_made_up_tree.hpp"
#include "simulation/host_model.hpp"
#include "simulation/simulator_input.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

class Machine : public MadeUpTree {
 public:
  void cache(int index, const char* level, const char* type, const char* size, const char* ways,
             const char* line) const {
    const std::string directory =
        "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    write(directory + "level", std::string(level) + "\n");
    write(directory + "type", std::string(type) + "\n");
    if (size != nullptr) write(directory + "size", std::string(size) + "\n");
    if (ways != nullptr) write(directory + "ways_of_associativity", std::string(ways) + "\n");
    if (line != nullptr) write(directory + "coherency_line_size", std::string(line) + "\n");
  }

  CpuModel model(const std::optional<CoreClock>& clock = std::nullopt) const {
    return host_model(path("sys"), clock).value();
  }
};

void expect_cache(const CacheModel& cache, std::uint64_t size, unsigned ways, unsigned line) {
  EXPECT_EQ(cache.size, size);
  EXPECT_EQ(cache.ways, ways);
  EXPECT_EQ(cache.line, line);
}

TEST(SimulationHostModel, UsesTheCachesAndTheFrequencyOfSysfs) {
  const Machine machine;
  machine.cache(0, "1", "Data", "48K", "12", "64");
  machine.cache(1, "1", "Instruction", "32K", "8", "64");
  machine.cache(2, "2", "Unified", "2048K", "16", "64");
  machine.cache(3, "3", "Unified", "107520K", "15", "64");
  machine.write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3400000\n");
  machine.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: A CPU\ncpu MHz\t\t: 1200.5\n");
  const CpuModel m = machine.model();
  EXPECT_EQ(m.name, "host");
  EXPECT_THAT(m.description, HasSubstr("A CPU"));
  EXPECT_EQ(m.frequency_hz, 3'400'000'000U);
  expect_cache(m.l1d, 48 << 10, 12, 64);
  expect_cache(m.l1i, 32 << 10, 8, 64);
  expect_cache(m.l2.value(), 2 << 20, 16, 64);
  expect_cache(m.l3.value(), 107'520 << 10, 15, 64);
  EXPECT_THAT(m.sources, Contains("l1d: sysfs: 49152 bytes, 12 ways, 64-byte lines"));
  EXPECT_THAT(m.sources, Contains("frequency: sysfs: cpuinfo_max_freq; it could not be measured"));
}

TEST(SimulationHostModel, ManyWaysAreKept) {
  const Machine machine;
  machine.cache(0, "1", "Unified", "32K", "8", "64");  // for instructions and data
  machine.cache(1, "2", "Unified", "1M", "16", "64");
  machine.cache(2, "3", "Unified", "64M", "64", "64");
  const CpuModel m = machine.model();
  expect_cache(m.l1i, 32 << 10, 8, 64);
  expect_cache(m.l1d, 32 << 10, 8, 64);
  EXPECT_EQ(m.l3.value().ways, 64U);
}

TEST(SimulationHostModel, TheFrequencyComesFromTheFirstSourceThatHasOne) {
  const Machine machine;
  EXPECT_EQ(machine.model().frequency_hz, 2'000'000'000U);
  EXPECT_THAT(machine.model().sources, Contains(StartsWith("frequency: assumed")));
  machine.write("proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2500.000\n");
  EXPECT_EQ(machine.model().frequency_hz, 2'500'000'000U);
  EXPECT_THAT(machine.model().sources,
              Contains("frequency: /proc/cpuinfo: cpu MHz; it could not be measured"));
}

TEST(SimulationHostModel, AMeasuredClockComesBeforeWhatFilesTell) {
  const Machine machine;
  machine.write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3400000\n");
  const CpuModel m = machine.model(CoreClock{3'240'000'000, 0.004});
  EXPECT_EQ(m.frequency_hz, 3'240'000'000U);
  EXPECT_THAT(m.sources,
              Contains(AllOf(StartsWith("frequency: 3.24 GHz, measured"), HasSubstr("0.4 %"))));
}

TEST(SimulationCoreClock, IsThatOfTheFastestQuarter) {
  // Chains of 100,000 cycles at 3.237 GHz, most of them disturbed.
  const double undisturbed = 100'000 / 3.237e9;
  std::vector<double> seconds(64, 1.7 * undisturbed);
  for (std::size_t i = 3; i < 64; i += 4) seconds[i] = undisturbed * (1 + 1e-4 * double(i));
  const auto clock = clock_of_chains(seconds, 100'000);
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->hz, 3'230'000'000U);
  EXPECT_NEAR(clock->spread, 60e-4, 1e-4);
  seconds[3] *= 0.9;  // the clock has changed
  EXPECT_FALSE(clock_of_chains(seconds, 100'000));
  EXPECT_FALSE(clock_of_chains({}, 100'000));
  EXPECT_FALSE(clock_of_chains(std::vector<double>(64, 0.0), 100'000));
}

TEST(SimulationHostModel, WithoutCachesInSysfsAPresentDayHierarchyIsAssumed) {
  const Machine machine;
  const CpuModel m = machine.model();
  EXPECT_GE(m.l1d.size, 16U << 10);
  EXPECT_TRUE(m.l2 && m.l3);
  EXPECT_THAT(m.sources, Contains(StartsWith("l2, l3: not in sysfs")));
}

TEST(SimulationHostModel, LevelsMissingInSysfsAreMissingInTheModel) {
  const Machine machine;
  machine.cache(0, "1", "Data", "32K", "4", "64");
  machine.cache(1, "2", "Unified", "512K", "16", "64");
  EXPECT_TRUE(machine.model().l2);
  EXPECT_FALSE(machine.model().l3);
  EXPECT_THAT(machine.model().sources, Contains("l3: sysfs tells of none"));
  EXPECT_THAT(machine.model().sources, Contains(StartsWith("l1i: not in sysfs")));
}

TEST(SimulationHostModel, AThirdLevelWithoutASecondBecomesTheSecond) {
  const Machine machine;
  machine.cache(0, "1", "Data", "32K", "4", "64");
  machine.cache(1, "3", "Unified", "8M", "16", "64");
  const CpuModel m = machine.model();
  expect_cache(m.l2.value(), 8 << 20, 16, 64);
  EXPECT_FALSE(m.l3);
}

TEST(SimulationHostModel, OddGeometryIsRoundedAndReported) {
  const Machine machine;
  machine.cache(0, "1", "Data", "33K", "0", "48");
  machine.cache(1, "1", "Instruction", nullptr, nullptr, nullptr);
  machine.cache(2, "2", "Unified", "1000K", "2000", "512");
  machine.cache(3, "3", "Unified", "nonsense", "-3", "64");
  const CpuModel m = machine.model();
  for (const CacheModel& cache : {m.l1d, m.l1i, m.l2.value(), m.l3.value()}) {
    EXPECT_TRUE(std::has_single_bit(cache.line));
    EXPECT_GE(cache.line, 16U);
    EXPECT_LE(cache.line, 256U);
    EXPECT_GE(cache.ways, 1U);
    EXPECT_LE(cache.ways, 64U);
    EXPECT_GT(cache.size, 0U);
    EXPECT_EQ(cache.size % (cache.ways * cache.line), 0U);
  }
  EXPECT_EQ(m.l1d.line, 32U);
  EXPECT_EQ(m.l1d.size, 32U << 10);
  EXPECT_TRUE(std::has_single_bit(m.l1i.size / m.l1i.ways / m.l1i.line));
  EXPECT_EQ(m.l2->line, 256U);
  EXPECT_THAT(m.sources, Contains(AllOf(StartsWith("l1d: sysfs: 33792 bytes, 0 ways, 48-byte"),
                                        HasSubstr("nearest a model can hold: 32768 bytes"))));
}

TEST(SimulationHostModel, TheModelIsWrittenForTheSimulator) {
  EXPECT_THAT(to_simulator_input(Machine().model(), 1, 2),
              AllOf(StartsWith("tacho-model 4\nfrequency_hz "), HasSubstr("\ncache l1d ")));
}

}  // namespace
}  // namespace tacho::TEST_FILE

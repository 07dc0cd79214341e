// Tests the PMU with made-up registers: the events that it resolves, opens, plans and refuses.
#include "events_made_up_tree.hpp"
#include "measure/plan.hpp"
#include "pmu/registers/arm_registers.hpp"
#include "pmu/registers/core_id.hpp"
#include "pmu_registers_fake.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tacho::arm::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

CoreEvents list_of(const std::string& core) {
  return load_core_events(std::string(TACHO_SOURCE_DIR) + "/data/events/" + core + ".toml").value();
}

// No loop runs on a made-up core. Its counts are the loop's work, but one event counts nothing.
Result<Trial> plausible(const Event&, const Yardstick& yardstick) {
  if (yardstick.name == "L1-icache-loads") return Trial{};
  return Trial{.counts = {yardstick.short_work(), yardstick.long_work()}};
}

// A core at work: between two looks at the clock, events happen.
template <class Fake>
struct Made {
  Fake* core;
  FakeObserver* observer;
  Catalogue catalogue{{.sysfs = "/nonexistent", .tracefs = {}}};
  std::unique_ptr<ArmRegistersPmu> pmu;

  Made(std::unique_ptr<Fake> fake, const char* list, Architecture architecture, int counters)
      : core(fake.get()) {
    auto seeing = std::make_unique<FakeObserver>();
    observer = seeing.get();
    pmu = std::make_unique<ArmRegistersPmu>(
        catalogue,
        Core{.events = list_of(list),
             .architecture = architecture,
             .cpu = 3,
             .counters = counters,
             .registers = std::move(fake),
             .observer = std::move(seeing),
             .clock =
                 [this, now = std::chrono::nanoseconds()]() mutable {
                   core->happen(100, {{0x07, {40, 2}}, {0x08, {50, 5}}, {0x0b, {3, 0}}});
                   return now += std::chrono::microseconds(1);
                 }},
        plausible);
  }

  Result<std::unique_ptr<CounterGroup>> open(const std::vector<std::string>& names,
                                             const Target& target = Self{}) {
    std::vector<Event> events;
    for (const std::string& name : names) {
      auto event = pmu->resolve(name);
      if (!event) return std::unexpected(event.error());
      events.push_back(*event);
    }
    return pmu->open(events, target, Start::stopped);
  }

  std::string refusal(const std::vector<std::string>& names, const Target& target = Self{}) {
    const auto opened = open(names, target);
    return opened ? "" : opened.error().what;
  }
};

Made<FakeArm1176> pi_zero() {
  return {std::make_unique<FakeArm1176>(), "arm1176", Architecture::armv6, 2};
}
Made<FakeLater> cortex_a7() {
  return {std::make_unique<FakeLater>(4, false), "cortex-a7", Architecture::armv7, 4};
}
Made<FakeLater> cortex_a9() {
  auto core = std::make_unique<FakeLater>(6, false);
  core->filters = false;
  core->common.clear();
  return {std::move(core), "cortex-a9", Architecture::armv7, 6};
}

TEST(ArmRegistersPmu, ItsNameHasTheCoreAndTheModule) {
  const auto made = pi_zero();
  EXPECT_EQ(made.pmu->capabilities().kind, PmuKind::arm_registers);
  EXPECT_EQ(made.pmu->capabilities().name, "ARM1176 registers through tacho_pmu");
  EXPECT_FALSE(made.pmu->capabilities().sees_exec);
}

TEST(ArmRegistersPmu, CountsEventsOfEveryKindOfName) {
  auto made = cortex_a7();
  auto group = made.open({"cycles", "instructions:u", "INST_RETIRED:k", "r08"});
  ASSERT_TRUE(group) << group.error().what;
  ASSERT_TRUE((*group)->enable());
  for (int i = 0; i < 100; ++i) made.core->happen(Work{1000, 10}, {{0x08, {500, 50}}});
  ASSERT_TRUE((*group)->disable());
  std::vector<Reading> readings(4);
  ASSERT_TRUE((*group)->read(readings));
  EXPECT_GE(readings[0].value, 101'000U);
  EXPECT_GE(readings[1].value, 50'000U);
  EXPECT_LT(readings[1].value, 60'000U);
  EXPECT_GE(readings[2].value, 5'000U);
  EXPECT_LT(readings[2].value, 6'000U);
  EXPECT_EQ(readings[3].value, readings[1].value + readings[2].value);
  EXPECT_EQ(readings[0].running_ns, readings[0].enabled_ns);
  EXPECT_GT(readings[0].running_ns, 0U);
}

TEST(ArmRegistersPmu, RefusesEventsThatTheCoreDoesNotHave) {
  auto made = cortex_a7();
  EXPECT_THAT(made.refusal({"r1f"}), HasSubstr("Cortex-A7 does not have event 0x1f"));
  EXPECT_THAT(made.refusal({"bus-cycles"}), HasSubstr("does not have event 0x1d"))
      << "listed, but the core itself says no";
  EXPECT_THAT(made.refusal({"r77"}), HasSubstr("does not have event 0x77"));
  EXPECT_THAT(made.refusal({"ref-cycles"}), HasSubstr("the Cortex-A7 does not have this event"));
  EXPECT_EQ(made.refusal({"prefetch_linefill"}), "");
  EXPECT_THAT(made.refusal({"ext_mem_req"}), "");
  auto zero = pi_zero();
  EXPECT_THAT(zero.refusal({"r0e"}), HasSubstr("ARM1176 does not have event 0x0e"));
}

TEST(ArmRegistersPmu, ACortexA9CountsInstructionsByAnEventOfItsOwn) {
  auto made = cortex_a9();
  auto group = made.open({"cycles", "instructions"});
  ASSERT_TRUE(group) << group.error().what;
  ASSERT_TRUE((*group)->enable());
  for (int i = 0; i < 100; ++i) made.core->happen(Work{1000, 10}, {{0x68, {500, 50}}});
  ASSERT_TRUE((*group)->disable());
  std::vector<Reading> readings(2);
  ASSERT_TRUE((*group)->read(readings));
  EXPECT_GE(readings[0].value, 101'000U);
  EXPECT_EQ(readings[1].value, 55'000U);
  EXPECT_EQ(readings[1].running_ns, readings[1].enabled_ns);
  EXPECT_THAT(made.refusal({"r08"}), HasSubstr("Cortex-A9 does not have event 0x08"));
}

TEST(ArmRegistersPmu, CoresFromBeforePmuv2RefuseToRestrictAnEventToAMode) {
  auto made = cortex_a9();
  EXPECT_THAT(made.refusal({"instructions:u"}),
              HasSubstr("the Cortex-A9's counters can't tell user mode from the kernel's"));
  EXPECT_THAT(made.refusal({"cycles:k"}), HasSubstr("can't tell user mode"));
}

TEST(ArmRegistersPmu, RejectsEventsThatReadZeroIfTheCoreDoesNotReportThem) {
  auto made = cortex_a7();
  EXPECT_THAT(made.refusal({"L1-icache-loads"}), HasSubstr("does not have event 0x14"));
  auto silent = std::make_unique<FakeLater>(4, false);
  silent->common.clear();  // as QEMU's ARMv7 cores
  Made<FakeLater> other(std::move(silent), "cortex-a7", Architecture::armv7, 4);
  EXPECT_THAT(other.refusal({"L1-icache-loads"}),
              HasSubstr("'L1-icache-loads' reads 0 over a loop"));
  EXPECT_THAT(other.refusal({"l1i_cache"}), HasSubstr("reads 0 over a loop"));
  EXPECT_EQ(other.refusal({"branches"}), "");
}

TEST(ArmRegistersPmu, TheErrorForAMisspeltEventGivesTheNearestName) {
  const auto made = cortex_a7();
  const auto event = made.pmu->resolve("l1d_cache_refil");
  ASSERT_FALSE(event);
  EXPECT_THAT(event.error().what, HasSubstr("unknown event"));
  EXPECT_THAT(event.error().remedy, HasSubstr("l1d_cache_refill"));
}

TEST(ArmRegistersPmu, Arm1176CantSeparateModes) {
  auto made = pi_zero();
  EXPECT_THAT(made.refusal({"instructions:u"}),
              HasSubstr("ARM1176's counters can't tell user mode from the kernel's"));
  EXPECT_EQ(made.refusal({"instructions:uk"}), "") << "both is what it counts";
}

TEST(ArmRegistersPmu, RefusesOtherModifiers) {
  auto made = cortex_a7();
  for (const char* spec : {"cycles:p", "cycles:D", "cycles:G", "cycles:I"})
    EXPECT_THAT(made.refusal({spec}), HasSubstr("only the modifiers u and k")) << spec;
}

TEST(ArmRegistersPmu, CountsOnlyACommandOrItself) {
  auto made = cortex_a7();
  EXPECT_EQ(made.refusal({"cycles"}, Launched{42}), "");
  EXPECT_EQ(made.observer->followed, 42);
  EXPECT_THAT(made.refusal({"cycles"}, Process{42}), HasSubstr("can't attach"));
  EXPECT_THAT(made.refusal({"cycles"}, Thread{42}), HasSubstr("can't attach"));
}

TEST(ArmRegistersPmu, MoreEventsThanCountersTakeTurns) {
  auto made = pi_zero();
  EXPECT_THAT(made.refusal({"instructions", "branches", "branch-misses"}), HasSubstr("2 counters"));
  std::vector<EventGroup> groups;
  for (const char* name :
       {"cycles", "instructions", "branches", "branch-misses", "l1d_cache", "dcache_miss"})
    groups.push_back({made.pmu->resolve(name).value()});
  const Plan plan = make_plan(*made.pmu, groups, {});
  ASSERT_TRUE(plan.reference);
  EXPECT_EQ(plan.events[*plan.reference].name, "cycles");
  EXPECT_TRUE(plan.reference_in_sets);
  EXPECT_THAT(plan.sets, ElementsAre(SizeIs(2), SizeIs(2), SizeIs(1)));
  EXPECT_EQ(plan.counters, 2);
}

TEST(ArmRegistersPmu, AGroupWithoutCountersIsOnButDoesNotRun) {
  auto made = pi_zero();
  auto first = made.open({"instructions", "branches"});
  auto second = made.open({"cycles", "l1d_cache"});
  ASSERT_TRUE((*first)->enable());
  ASSERT_TRUE((*second)->enable());
  ASSERT_TRUE((*first)->disable());
  ASSERT_TRUE((*second)->disable());
  std::vector<Reading> readings(2);
  ASSERT_TRUE((*first)->read(readings));
  EXPECT_GT(readings[0].running_ns, 0U);
  ASSERT_TRUE((*second)->read(readings));
  EXPECT_EQ(readings[0].value, 0U);
  EXPECT_GT(readings[0].enabled_ns, 0U);
  EXPECT_EQ(readings[0].running_ns, 0U);
}

TEST(ArmRegistersPmu, ItsRemarksNameTheCpuAndTheEventsCaveats) {
  auto made = pi_zero();
  ASSERT_TRUE(made.open({"l1d_cache", "instructions"}, Launched{42}));
  EXPECT_THAT(made.pmu->remarks(),
              ElementsAre(HasSubstr("whatever ran on CPU 3"),
                          HasSubstr("l1d_cache: counts non-sequential accesses only")));
  EXPECT_THAT(made.pmu->remarks(), SizeIs(1)) << "those of the last run are told";
}

TEST(ArmRegistersPmu, GivenUpStretchesAreEnabledButNotRunning) {
  auto made = cortex_a7();
  auto group = made.open({"cycles"});
  ASSERT_TRUE((*group)->enable());
  made.observer->trouble = "perf used the counters";
  ASSERT_TRUE((*group)->disable());
  Reading reading;
  ASSERT_TRUE((*group)->read({&reading, 1}));
  EXPECT_EQ(reading.value, 0U);
  EXPECT_EQ(reading.running_ns, 0U);
  EXPECT_GT(reading.enabled_ns, 0U);
  EXPECT_THAT(made.pmu->remarks(),
              testing::Contains(HasSubstr("given up: perf used the counters")));
}

struct ArmCore : testing::Test {
  MadeUpTree tree;
  CoreSources sources{.cpus = tree.path("cpus"), .cpuinfo = tree.path("cpuinfo")};
  std::vector<CoreEvents> known = {list_of("arm1176"), list_of("cortex-a7"), list_of("cortex-a53"),
                                   list_of("cortex-a72")};

  void midr(int cpu, const std::string& text) const {
    tree.write("cpus/cpu" + std::to_string(cpu) + "/regs/identification/midr_el1", text + '\n');
  }
};

TEST_F(ArmCore, IsFoundByItsIdentificationRegister) {
  midr(0, "0x00000000410fd034");
  midr(4, "0x00000000410fd083");
  EXPECT_EQ(events_of_cpu(0, known, sources)->name, "Cortex-A53");
  EXPECT_EQ(events_of_cpu(4, known, sources)->name, "Cortex-A72");
}

TEST_F(ArmCore, IsFoundInCpuinfo) {
  tree.write("cpuinfo",
             "processor\t: 0\nmodel name\t: ARMv7\nCPU implementer\t: 0x41\nCPU part\t: 0xc07\n\n"
             "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xc0f\n\nHardware\t: BCM2835\n");
  EXPECT_EQ(events_of_cpu(0, known, sources)->name, "Cortex-A7");
  EXPECT_EQ(core_of(1, sources)->part, 0xc0fU);
  tree.write("cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xb76\n");
  EXPECT_EQ(events_of_cpu(0, known, sources)->name, "ARM1176");
}

// The numbers are ARM's, from the manuals' chapters on the Main ID Register; another table of them
// is the kernel's arch/arm64/include/asm/cputype.h.
TEST_F(ArmCore, EachCoreHasItsList) {
  std::vector<CoreEvents> all;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TACHO_SOURCE_DIR) + "/data/events"))
    all.push_back(load_core_events(entry.path()).value());
  const std::pair<std::uint32_t, const char*> parts[] = {
      {0xb76, "ARM1176"},     {0xc05, "Cortex-A5"},  {0xc07, "Cortex-A7"},  {0xc08, "Cortex-A8"},
      {0xc09, "Cortex-A9"},   {0xc0f, "Cortex-A15"}, {0xd03, "Cortex-A53"}, {0xd05, "Cortex-A55"},
      {0xd07, "Cortex-A57"},  {0xd08, "Cortex-A72"}, {0xd0b, "Cortex-A76"}, {0xd0c, "Neoverse N1"},
      {0xd40, "Neoverse V1"}, {0xd41, "Cortex-A78"}, {0xd44, "Cortex-X1"},  {0xd49, "Neoverse N2"},
      {0xd4f, "Neoverse V2"}};
  EXPECT_THAT(all, SizeIs(std::size(parts)));
  for (const auto& [part, name] : parts) {
    midr(0, fmt::format("0x{:016x}", 0x410f0000U | part << 4U));
    const auto found = events_of_cpu(0, all, sources);
    ASSERT_TRUE(found) << name << ": " << found.error().what;
    EXPECT_EQ(found->name, name);
    EXPECT_EQ(found->architecture, part < 0xc00 ? "armv6" : part < 0xd00 ? "armv7" : "aarch64");
  }
}

TEST_F(ArmCore, AMissingListIsAnErrorThatNamesTheCore) {
  midr(0, "0x00000000410fd4e0");
  const auto events = events_of_cpu(0, known, sources);
  ASSERT_FALSE(events);
  EXPECT_THAT(events.error().what, HasSubstr("implementer 0x41, part 0xd4e"));
  EXPECT_THAT(events.error().remedy, HasSubstr("Cortex-A72"));
  EXPECT_FALSE(core_of(7, sources)) << "neither place tells of it";
}

}  // namespace
}  // namespace tacho::arm::TEST_FILE

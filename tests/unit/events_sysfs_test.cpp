// Tests PMUs of sysfs. The format files are those of Intel's core PMU and of an uncore PMU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/sysfs_pmu.hpp"
#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

class EventsSysfs : public testing::Test {
 protected:
  EventsSysfs() {
    tree_.write("sysfs/cpu/type", "4\n");
    tree_.write("sysfs/cpu/format/event", "config:0-7\n");
    tree_.write("sysfs/cpu/format/umask", "config:8-15\n");
    tree_.write("sysfs/cpu/format/inv", "config:23\n");
    tree_.write("sysfs/cpu/format/cmask", "config:24-31\n");
    tree_.write("sysfs/cpu/format/ldlat", "config1:0-15\n");
    tree_.write("sysfs/cpu/format/wide", "config2:0-3,32-35\n");
    tree_.write("sysfs/cpu/format/third", "config3:0-63\n");
    tree_.write("sysfs/cpu/format/broken", "config:64-70\n");
    tree_.write("sysfs/cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
    tree_.write("sysfs/cpu/events/slots", "event=0x00,umask=0x4\n");
    tree_.write("sysfs/uncore_imc_0/type", "17\n");
    tree_.write("sysfs/uncore_imc_0/cpumask", "0,18\n");
    tree_.write("sysfs/uncore_imc_0/format/event", "config:0-7\n");
    tree_.write("sysfs/uncore_imc_0/format/umask", "config:8-15\n");
    tree_.write("sysfs/uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n");
    tree_.write("sysfs/uncore_imc_0/events/cas_count_read.unit", "MiB\n");
    tree_.write("sysfs/uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5\n");
    tree_.write("sysfs/uncore_imc_0/events/per_core", "event=0x05,umask=?\n");
    tree_.write("sysfs/armv8_cortex_a53/type", "8\n");
    tree_.write("sysfs/armv8_cortex_a53/cpus", "0-3\n");
    tree_.write("sysfs/armv8_cortex_a53/format/event", "config:0-15\n");
  }

  Event resolve(const std::string& spec) const {
    auto event = tree_.catalogue().resolve(spec);
    EXPECT_TRUE(event) << event.error().what;
    return event.value_or(Event{});
  }
  std::string failure_of(const std::string& spec) const {
    const auto event = tree_.catalogue().resolve(spec);
    return event ? "resolved" : event.error().what + " | " + event.error().remedy;
  }

  MadeUpTree tree_;
};

TEST_F(EventsSysfs, TermsSetTheBitsThatTheFormatNames) {
  const Event event = resolve("cpu/event=0x3c,umask=1,cmask=2,inv/");
  EXPECT_EQ(event.type, 4U);
  EXPECT_EQ(event.config, 0x0280013cU);
  EXPECT_EQ(event.domain, Domain::core);
  EXPECT_EQ(resolve("cpu/event=0xcd,ldlat=0x1f/").config1, 0x1fU);
  EXPECT_EQ(resolve("cpu/wide=0xa5/").config2, 0x0000000a00000005U);
  EXPECT_EQ(resolve("cpu/third=0xffffffffffffffff/").config3, ~0ULL);
  EXPECT_EQ(resolve("cpu/config=0x1c2,config1=7/").config1, 7U);
  EXPECT_EQ(resolve("cpu/r1c2/").config, 0x1c2U);
}

TEST_F(EventsSysfs, NamedEventsHaveTheirTermsAndModifiers) {
  EXPECT_EQ(resolve("cpu/mem-loads/").config, 0x1cdU);
  EXPECT_EQ(resolve("cpu/mem-loads,ldlat=0x10/").config1, 0x13U);  // bits add up, as in perf
  EXPECT_EQ(resolve("mem-loads").config1, 3U);
  const Event user = resolve("cpu/mem-loads/upp");
  EXPECT_EQ(user.name, "cpu/mem-loads/upp");
  EXPECT_TRUE(user.exclude_kernel);
  EXPECT_EQ(user.precise, 2);
  EXPECT_TRUE(resolve("slots:k").exclude_user);
  EXPECT_EQ(resolve("cpu/event=1,name=Mine/").name, "Mine");
}

TEST_F(EventsSysfs, UnitScaleAndCpusComeFromTheKernel) {
  for (const char* spec : {"uncore_imc_0/cas_count_read/", "imc_0/cas_count_read/",
                           "imc/cas_count_read/", "*imc*/cas_count_read/", "cas_count_read"}) {
    const Event event = resolve(spec);
    EXPECT_EQ(event.type, 17U);
    EXPECT_EQ(event.config, 0x304U);
    EXPECT_EQ(event.unit, "MiB");
    EXPECT_DOUBLE_EQ(event.scale, 64.0 / (1 << 20));
    EXPECT_EQ(event.cpus, "0,18");
    EXPECT_EQ(event.domain, Domain::other);
  }
}

TEST_F(EventsSysfs, WithSeveralCorePmusAGenericNameSelectsTheNamedPmu) {
  EXPECT_EQ(resolve("armv8_cortex_a53/cycles/").type, 0U);
  EXPECT_EQ(resolve("armv8_cortex_a53/cycles/").config, 8ULL << 32);
  EXPECT_EQ(resolve("armv8_cortex_a53/L1-dcache-load-misses/").config, (8ULL << 32) | 0x10000);
  EXPECT_EQ(resolve("armv8_cortex_a53/event=0x11/").domain, Domain::core);
  std::filesystem::remove_all(tree_.path("sysfs/cpu"));
  EXPECT_EQ(resolve("armv8_cortex_a53/cycles/").config, 0U);
}

TEST_F(EventsSysfs, OnUnequalCoresAnEventBelongsToTheCpusOfItsPmu) {
  EXPECT_EQ(resolve("armv8_cortex_a53/event=0x11/").core_pmu, "armv8_cortex_a53");
  EXPECT_EQ(resolve("armv8_cortex_a53/event=0x11/").cpus, "0-3");
  EXPECT_EQ(resolve("cycles").core_pmu, "");
  std::filesystem::remove_all(tree_.path("sysfs/cpu"));
  EXPECT_EQ(resolve("armv8_cortex_a53/event=0x11/").core_pmu, "");
  EXPECT_EQ(resolve("armv8_cortex_a53/event=0x11/").cpus, "");
}

TEST_F(EventsSysfs, AnEventOfCoresThatAreAllOfflineCanStillBeNamed) {
  tree_.write("sysfs/cpu_lowpower/type", "12\n");
  tree_.write("sysfs/cpu_lowpower/cpus", "\n");
  tree_.write("sysfs/cpu_lowpower/format/event", "config:0-7\n");
  EXPECT_EQ(SysfsPmus(tree_.path("sysfs")).cores().size(), 2U);
  EXPECT_EQ(resolve("cpu_lowpower/event=0x11/").type, 12U);
  EXPECT_EQ(resolve("cpu_lowpower/event=0x11/").core_pmu, "");
}

TEST_F(EventsSysfs, TheCoresOfAHybridProcessorBeginWithThePerformanceCores) {
  std::filesystem::remove_all(tree_.path("sysfs"));
  tree_.write("sysfs/cpu_atom/type", "10\n");
  tree_.write("sysfs/cpu_atom/cpus", "16-23\n");
  tree_.write("sysfs/cpu_core/type", "4\n");
  tree_.write("sysfs/cpu_core/cpus", "0-15\n");
  tree_.write("sysfs/msr/type", "11\n");
  const std::vector<CorePmu> cores = SysfsPmus(tree_.path("sysfs")).cores();
  ASSERT_EQ(cores.size(), 2U);
  EXPECT_EQ(cores[0].name, "cpu_core");
  EXPECT_EQ(cores[0].type, 4U);
  EXPECT_EQ(cores[1].name, "cpu_atom");
  EXPECT_EQ(cores[1].cpus, "16-23");
}

TEST_F(EventsSysfs, AParameterMustBeGiven) {
  EXPECT_EQ(resolve("imc/per_core,umask=7/").config, 0x705U);
  EXPECT_THAT(failure_of("imc/per_core/"), HasSubstr("add umask=NUMBER"));
}

TEST_F(EventsSysfs, ErrorsNameTheTermAndTheRemedy) {
  EXPECT_THAT(failure_of("cpu/evnt=1/"), HasSubstr("did you mean 'event'"));
  EXPECT_THAT(failure_of("cpu/qqqqqqqqqq/"), HasSubstr("it has mem-loads, slots, broken"));
  EXPECT_THAT(failure_of("cpu/event=0x100/"), HasSubstr("greatest value is 0xff"));
  EXPECT_THAT(failure_of("cpu/event=0x1ffffffffffffffff/"), HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(failure_of("cpu/event=1x/"), HasSubstr("'1x' is not a number"));
  EXPECT_THAT(failure_of("cpu/event=1,,umask=2/"), HasSubstr("missing beside a comma"));
  EXPECT_THAT(failure_of("cpu/broken=1/"), HasSubstr("its format 'config:64-70'"));
  EXPECT_THAT(failure_of("cpu/event=1"), HasSubstr("second '/' is missing"));
  EXPECT_THAT(failure_of("gpu/event=1/"), HasSubstr("armv8_cortex_a53, cpu, uncore_imc_0"));
  EXPECT_THAT(failure_of("cpu/../../x/"), HasSubstr("no term or event"));
}

TEST_F(EventsSysfs, ANameOfSeveralPmusIsAmbiguous) {
  tree_.write("sysfs/uncore_imc_1/type", "18\n");
  tree_.write("sysfs/uncore_imc_1/events/cas_count_read", "event=0x04\n");
  EXPECT_THAT(failure_of("cas_count_read"), HasSubstr("uncore_imc_0, uncore_imc_1"));
  EXPECT_THAT(failure_of("imc/cas_count_read/"), HasSubstr("selects 2 PMUs"));
}

}  // namespace
}  // namespace tacho::TEST_FILE

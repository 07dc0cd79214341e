// Generic events on unequal cores: which event of which PMU they become.
#include "events/core_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;

const std::vector<CorePmu> kHybrid = {{"cpu_core", 4, "0-15"}, {"cpu_atom", 10, "16-23"}};

std::vector<std::string> names(const std::vector<Event>& events) {
  std::vector<std::string> result;
  for (const Event& event : events) result.push_back(event.name);
  return result;
}

class EventsCoreParts : public testing::Test {
 protected:
  EventsCoreParts() {
    tree_.write("sysfs/armv8_cortex_a53/type", "11\n");
    tree_.write("sysfs/armv8_cortex_a53/format/event", "config:0-15\n");
    tree_.write("sysfs/armv8_cortex_a53/events/cpu_cycles", "event=0x0011\n");
  }
  std::vector<Event> parts(std::string_view spec, std::span<const CorePmu> cores,
                           GenericBy by = GenericBy::pmu_type) {
    return parts_of(*Catalogue().resolve(spec), cores, by, SysfsPmus(tree_.path("sysfs")));
  }
  MadeUpTree tree_;
};

TEST_F(EventsCoreParts, CoresAreUnequalIfTheyHaveSeveralPmusOrSomeHaveNone) {
  EXPECT_TRUE(are_unequal(kHybrid, "0-23"));
  const std::vector<CorePmu> intel = {{"cpu", 4, ""}};
  EXPECT_FALSE(are_unequal(intel, "0-7"));
  const std::vector<CorePmu> arm = {{"armv8_pmuv3_0", 8, "0-3"}};
  EXPECT_FALSE(are_unequal(arm, "0-3"));
  EXPECT_FALSE(are_unequal(arm, "0,2-3")) << "CPU 1 is offline";
  EXPECT_TRUE(are_unequal(arm, "0-5")) << "the device tree has the PMU of one cluster";
  EXPECT_FALSE(are_unequal({}, "0-3"));
}

TEST_F(EventsCoreParts, ACorePmuMayHaveNoCpuThatIsOnline) {
  const CorePmu cluster = {"armv8_cortex_a72", 10, "4-7"};
  EXPECT_TRUE(has_online_cpu(cluster, "0-4"));
  EXPECT_FALSE(has_online_cpu(cluster, "0-3"));
}

TEST_F(EventsCoreParts, AGenericEventHasAPartForEachCorePmu) {
  const auto cycles = parts("cycles:u", kHybrid);
  EXPECT_THAT(names(cycles), ElementsAre("cpu_core/cycles/u", "cpu_atom/cycles/u"));
  EXPECT_EQ(cycles[0].config, 4ULL << 32);
  EXPECT_EQ(cycles[1].config, 10ULL << 32);
  EXPECT_EQ(cycles[1].core_pmu, "cpu_atom");
  EXPECT_EQ(cycles[1].cpus, "16-23");
  EXPECT_EQ(cycles[1].part_of, "cycles:u");
  EXPECT_TRUE(cycles[1].exclude_kernel);
  const auto misses = parts("L1-dcache-load-misses", kHybrid);
  EXPECT_THAT(names(misses),
              ElementsAre("cpu_core/L1-dcache-load-misses/", "cpu_atom/L1-dcache-load-misses/"));
  EXPECT_EQ(misses[0].config, 4ULL << 32 | 0x10000);
}

TEST_F(EventsCoreParts, ARawCodeIsOpenedOnEveryCorePmu) {
  const auto raw = parts("r01c2:k", kHybrid);
  EXPECT_THAT(names(raw), ElementsAre("cpu_core/r01c2/k", "cpu_atom/r01c2/k"));
  EXPECT_EQ(raw[0].type, 4U);
  EXPECT_EQ(raw[1].type, 10U);
  EXPECT_EQ(raw[1].config, 0x1c2U);
}

TEST_F(EventsCoreParts, SoftwareEventsAreNotDivided) {
  EXPECT_THAT(names(parts("page-faults", kHybrid)), ElementsAre("page-faults"));
  EXPECT_EQ(parts("page-faults", kHybrid)[0].part_of, "");
}

TEST_F(EventsCoreParts, AnEventOfAPmuWithoutItsNameBelongsToItsCores) {
  Event vendors;  // as libpfm4 encodes adl_grt::CORES
  vendors.name = "adl_grt::CORES";
  vendors.domain = Domain::core;
  vendors.type = 10;
  const auto found = parts_of(vendors, kHybrid, GenericBy::pmu_type, SysfsPmus("/nowhere"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].core_pmu, "cpu_atom");
  EXPECT_EQ(found[0].name, "adl_grt::CORES");
  EXPECT_EQ(found[0].part_of, "");
}

TEST_F(EventsCoreParts, KernelsThatTakeNoPmuTypeGetThePmusOwnEvents) {
  const std::vector<CorePmu> arm = {{"armv8_cortex_a53", 11, "0-3"}, {"armv8_cortex_a72", 10, "4"}};
  const auto cycles = parts("cycles", arm, GenericBy::own_name);
  EXPECT_THAT(names(cycles), ElementsAre("armv8_cortex_a53/cycles/", "armv8_cortex_a72/cycles/"));
  EXPECT_EQ(cycles[0].type, 11U);
  EXPECT_EQ(cycles[0].config, 0x11U);
  EXPECT_EQ(cycles[1].type, 0U) << "this made-up PMU has no event of its own";
  EXPECT_EQ(cycles[1].config, 10ULL << 32);
}

TEST_F(EventsCoreParts, TheOnlyPmuOfSomeCpusCountsOnThem) {
  const std::vector<CorePmu> one = {{"armv8_cortex_a53", 11, "0-3"}};
  const auto cycles = parts("cycles", one);
  ASSERT_EQ(cycles.size(), 1U);
  EXPECT_EQ(cycles[0].name, "cycles");
  EXPECT_EQ(cycles[0].config, 0U);
  EXPECT_EQ(cycles[0].cpus, "0-3");
  EXPECT_EQ(cycles[0].core_pmu, "armv8_cortex_a53");
}

}  // namespace
}  // namespace tacho::TEST_FILE

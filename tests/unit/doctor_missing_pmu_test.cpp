// Tests what doctor says of boards whose kernel shows no PMU, on made-up device trees. Their nodes
// and names are those of the boards' own device trees.
#include "doctor/missing_pmu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using namespace std::string_literals;

struct MissingPmu : testing::Test {
  MadeUpTree tree;

  void board(const std::string& model, const std::string& compatible, const std::string& core,
             int cores = 1) const {
    tree.write("model", model + '\0');
    tree.write("compatible", compatible);
    for (int cpu = 0; cpu < cores; ++cpu)
      tree.write("cpus/cpu@" + std::to_string(cpu) + "/compatible", core + '\0');
  }

  Finding finding() const {
    const auto found = explain_missing_pmu(tree.path());
    EXPECT_TRUE(found);
    return found.value_or(Finding());
  }
};

TEST_F(MissingPmu, AMachineWithoutADeviceTreeIsNotExplained) {
  EXPECT_FALSE(explain_missing_pmu(tree.path("none")));
}

TEST_F(MissingPmu, ARaspberryPi5WithoutTheNodeIsToldWhichKernelsHaveIt) {
  board("Raspberry Pi 5 Model B Rev 1.0", "raspberrypi,5-model-b\0brcm,bcm2712\0"s,
        "arm,cortex-a76", 4);
  const Finding found = finding();
  EXPECT_EQ(found.verdict, Verdict::warning);
  EXPECT_THAT(found.detail,
              AllOf(StartsWith("none: "), HasSubstr("'Raspberry Pi 5 Model B Rev 1.0'"),
                    HasSubstr("has no node 'arm,cortex-a76-pmu'"), HasSubstr("6.12")));
  EXPECT_THAT(found.remedy, AllOf(HasSubstr("update Raspberry Pi's kernel"), HasSubstr("overlay")));
}

TEST_F(MissingPmu, ANodeThatTheKernelDoesNotUseIsNamed) {
  board("Raspberry Pi 5 Model B Rev 1.0", "raspberrypi,5-model-b\0brcm,bcm2712\0"s,
        "arm,cortex-a76", 4);
  tree.write("arm-pmu/compatible", "arm,cortex-a76-pmu\0"s);
  const Finding found = finding();
  EXPECT_THAT(
      found.detail,
      HasSubstr("has the node 'arm-pmu' (arm,cortex-a76-pmu), which this kernel does not use"));
  EXPECT_THAT(found.detail, Not(HasSubstr("lack"))) << "what is known is about another fault";
  EXPECT_THAT(found.remedy, HasSubstr("CONFIG_HW_PERF_EVENTS"));
}

TEST_F(MissingPmu, ARaspberryPi4With32BitsIsToldThatItsDriverIsMissing) {
  board("Raspberry Pi 4 Model B Rev 1.2", "raspberrypi,4-model-b\0brcm,bcm2711\0"s,
        "arm,cortex-a72", 4);
  tree.write("arm-pmu/compatible", "arm,cortex-a72-pmu\0arm,armv8-pmuv3\0"s);
  EXPECT_THAT(finding().detail, HasSubstr("(arm,cortex-a72-pmu, arm,armv8-pmuv3)"));
  EXPECT_THAT(finding().detail, HasSubstr("32-bit kernels have no driver"));
  EXPECT_THAT(finding().remedy, HasSubstr("64-bit kernel"));
}

// am33xx.dtsi of kernel.org has the node below the module that clocks it.
TEST_F(MissingPmu, ADisabledNodeIsFoundAtAnyDepth) {
  board("TI AM335x BeagleBone Black", "ti,am335x-bone-black\0ti,am335x-bone\0ti,am33xx\0"s,
        "arm,cortex-a8");
  tree.write("target-module@4b000000/pmu@0/compatible", "arm,cortex-a8-pmu\0"s);
  tree.write("target-module@4b000000/pmu@0/status", "disabled\0"s);
  EXPECT_THAT(finding().detail, HasSubstr("'pmu@0' (arm,cortex-a8-pmu), which is disabled"));
  EXPECT_THAT(finding().remedy, HasSubstr("status = \"okay\""));
}

TEST_F(MissingPmu, OtherPmusOfTheTreeAreNotTheCores) {
  board("Hardkernel ODROID-U3 board based on Exynos4412",
        "hardkernel,odroid-u3\0samsung,exynos4412\0samsung,exynos4\0"s, "arm,cortex-a9", 4);
  tree.write("soc/system-controller@10020000/compatible", "samsung,exynos4412-pmu\0syscon\0"s);
  tree.write("soc/pmu@9000/compatible", "arm,cci-400-pmu,r1\0"s);
  tree.write("dsu-pmu/compatible", "arm,dsu-pmu\0"s);
  EXPECT_THAT(finding().detail, HasSubstr("has no node 'arm,cortex-a9-pmu'"));
}

TEST_F(MissingPmu, AnUnknownBoardWithUnequalCoresIsToldBothNodes) {
  board("A board", "somebody,board\0"s, "arm,cortex-a55", 4);
  tree.write("cpus/cpu@400/compatible", "arm,cortex-a78\0"s);
  tree.write("cpus/cpu-map/compatible", "no-core\0"s);
  EXPECT_THAT(finding().detail,
              HasSubstr("has no node 'arm,cortex-a55-pmu' or 'arm,cortex-a78-pmu'"));
  EXPECT_THAT(finding().remedy, HasSubstr("count with the registers"));
}

TEST_F(MissingPmu, TheFirstRaspberryPiNeedsTheNodeOfAnArm1176) {
  board("Raspberry Pi Model B Rev 2", "raspberrypi,model-b\0brcm,bcm2835\0"s, "arm,arm1176jzf-s");
  EXPECT_THAT(finding().detail, HasSubstr("has no node 'arm,arm1176-pmu'"));
}

TEST_F(MissingPmu, ATreeThatDoesNotNameItsCoresIsToldThatNoPmuIsThere) {
  tree.write("compatible", "somebody,board\0"s);
  EXPECT_THAT(finding().detail, HasSubstr("'somebody,board' has no node for a PMU"));
}

TEST_F(MissingPmu, AVirtualMachineIsToldToAskItsHypervisor) {
  tree.write("compatible", "linux,dummy-virt\0"s);
  tree.write("cpus/cpu@0/compatible", "arm,cortex-a57\0"s);
  EXPECT_THAT(finding().detail, HasSubstr("'linux,dummy-virt'"));
  EXPECT_THAT(finding().remedy, HasSubstr("virtual PMU"));
}

}  // namespace
}  // namespace tacho::TEST_FILE

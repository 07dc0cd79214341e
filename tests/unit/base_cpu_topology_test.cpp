// CPUs by core, socket and node, from made-up trees of sysfs.
#include "base/cpu_topology.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "events_made_up_tree.hpp"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

auto part(const std::string& name, const std::vector<int>& cpus) {
  return testing::AllOf(Field(&CpusOfPart::name, name), Field(&CpusOfPart::cpus, cpus));
}

// Two sockets, each a node, with two cores of two threads: the threads of a core are four apart.
class TwoSockets : public testing::Test {
 protected:
  TwoSockets() {
    for (int cpu = 0; cpu < 8; ++cpu) {
      const std::string folder = fmt::format("sys/devices/system/cpu/cpu{}/", cpu);
      const int core = cpu % 4;
      tree_.write(folder + "topology/physical_package_id", fmt::format("{}\n", core / 2));
      tree_.write(folder + "topology/die_id", "0\n");
      tree_.write(folder + "topology/core_id", fmt::format("{}\n", core % 2));
      tree_.write(folder + fmt::format("node{}/cpulist", core / 2), "");
    }
  }
  auto parts(CpuPart part, const std::vector<int>& cpus = {0, 1, 2, 3, 4, 5, 6, 7}) const {
    return parts_of_cpus(cpus, part, tree_.path());
  }
  MadeUpTree tree_;
};

TEST_F(TwoSockets, CoresHaveTheThreadsOfBothHalves) {
  EXPECT_THAT(parts(CpuPart::core),
              ElementsAre(part("S0-D0-C0", {0, 4}), part("S0-D0-C1", {1, 5}),
                          part("S1-D0-C0", {2, 6}), part("S1-D0-C1", {3, 7})));
}

TEST_F(TwoSockets, SocketsAndNodes) {
  EXPECT_THAT(parts(CpuPart::socket),
              ElementsAre(part("S0", {0, 1, 4, 5}), part("S1", {2, 3, 6, 7})));
  EXPECT_THAT(parts(CpuPart::node),
              ElementsAre(part("N0", {0, 1, 4, 5}), part("N1", {2, 3, 6, 7})));
}

TEST_F(TwoSockets, OnlyTheCpusThatAreAskedFor) {
  EXPECT_THAT(parts(CpuPart::core, {6, 1, 2}),
              ElementsAre(part("S1-D0-C0", {6, 2}), part("S0-D0-C1", {1})));
  EXPECT_THAT(parts(CpuPart::cpu, {6, 1}), ElementsAre(part("CPU 6", {6}), part("CPU 1", {1})));
  EXPECT_THAT(parts(CpuPart::cpu, {}), IsEmpty());
}

TEST_F(TwoSockets, ACpuThatSysfsDoesNotDescribeIsApart) {
  EXPECT_THAT(parts(CpuPart::core, {0, 99}),
              ElementsAre(part("S0-D0-C0", {0}), part("S-1-D-1-C-1", {99})));
  EXPECT_THAT(parts(CpuPart::node, {0, 99}), ElementsAre(part("N0", {0, 99})));
}

}  // namespace
}  // namespace tacho

// What the kernel and CPUID report about the machine, from made-up trees and registers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "base/cpus.hpp"
#include "events_made_up_tree.hpp"
#include "latency/chase/advertised.hpp"
#include "latency/chase/disturbance.hpp"
#include "latency/chase/memory_allowance.hpp"
#include "latency/chase/memory_nodes.hpp"

namespace tacho::chase::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ChaseMachine : public testing::Test {
 protected:
  MadeUpTree tree;
  std::string root = tree.path();
};

MATCHER_P2(IsTlb, level, entries, "") {
  return arg.level == level && arg.page_bytes == 4096 && arg.entries == entries;
}

// CPUID of nothing but these leaves.
std::vector<AdvertisedTlb> tlb_of(const std::map<std::uint32_t, CpuidRegisters>& leaves) {
  return advertised_tlb([&](std::uint32_t leaf, std::uint32_t) {
    const auto found = leaves.find(leaf);
    return found == leaves.end() ? CpuidRegisters{} : found->second;
  });
}

// The registers of an AMD EPYC of the fourth generation.
TEST(ChaseTlb, AmdReportsTwoLevels) {
  const auto tlb = tlb_of({{0, {.eax = 0x10}},
                           {0x80000000, {.eax = 0x80000021}},
                           {0x80000005, {.eax = 0xff48ff40, .ebx = 0xff48ff40}},
                           {0x80000006, {.eax = 0x5c002200, .ebx = 0x6c004200}}});
  EXPECT_THAT(tlb, ElementsAre(IsTlb(1U, 72U), IsTlb(2U, 3072U)));
}

// The registers of an AMD EPYC of the fifth generation, and those of a guest whose hypervisor hides
// the bit.
TEST(ChaseTlb, AmdReportsTheSecondLevelInUnitsOf32) {
  const auto amd = [](std::uint32_t signature, std::uint32_t features) {
    return tlb_of({{0, {.eax = 0x10}},
                   {1, {.eax = signature}},
                   {0x80000000, {.eax = 0x80000021}},
                   {0x80000005, {.eax = 0xff60ff40, .ebx = 0xff60ff40}},
                   {0x80000006, {.eax = 0x40802040, .ebx = 0x60804040}},
                   {0x80000021, {.eax = features}}});
  };
  constexpr std::uint32_t kGenoa = 0x00a10f11, kTurin = 0x00b00f21, kBit = 1U << 14U;
  EXPECT_THAT(amd(kTurin, kBit), ElementsAre(IsTlb(1U, 96U), IsTlb(2U, 4096U)));
  EXPECT_THAT(amd(kTurin, 0x204), ElementsAre(IsTlb(1U, 96U), IsTlb(2U, 4096U)));
  EXPECT_THAT(amd(kGenoa, kBit), ElementsAre(IsTlb(1U, 96U), IsTlb(2U, 4096U)));
  EXPECT_THAT(amd(kGenoa, 0), ElementsAre(IsTlb(1U, 96U), IsTlb(2U, 128U)));
}

// By the manual's table: instructions (2) and stores (5) are left out, and pages of 2 MiB alone.
TEST(ChaseTlb, IntelReportsTlbsOfLoadsAndSharedOnes) {
  const auto tlb = advertised_tlb([](std::uint32_t leaf, std::uint32_t subleaf) -> CpuidRegisters {
    if (leaf == 0) return {.eax = 0x20};
    if (leaf == 0x80000000) return {.eax = 0x80000008};
    if (leaf != 0x18) return {};
    switch (subleaf) {
      case 0:
        return {.eax = 5};
      case 1:
        return {.ebx = 8U << 16U | 1U, .ecx = 32, .edx = 1U << 5U | 2U};
      case 2:
        return {.ebx = 6U << 16U | 1U, .ecx = 16, .edx = 1U << 5U | 4U};
      case 3:
        return {.ebx = 16U << 16U | 1U, .ecx = 1, .edx = 1U << 5U | 5U};
      case 4:
        return {.ebx = 4U << 16U | 2U, .ecx = 8, .edx = 1U << 5U | 1U};
      default:
        return {.ebx = 16U << 16U | 3U, .ecx = 128, .edx = 2U << 5U | 3U};
    }
  });
  EXPECT_THAT(tlb, ElementsAre(IsTlb(1U, 96U), IsTlb(2U, 2048U)));
}

TEST(ChaseTlb, WithoutRegistersThereIsNoTlb) {
  EXPECT_THAT(advertised_tlb([](std::uint32_t, std::uint32_t) { return CpuidRegisters{}; }),
              IsEmpty());
  // As many subleaves as there can be, all empty.
  EXPECT_THAT(advertised_tlb([](std::uint32_t leaf, std::uint32_t) {
                return CpuidRegisters{.eax = leaf == 0x80000000 ? 0 : 0xffffffff};
              }),
              IsEmpty());
}

TEST_F(ChaseMachine, DataCachesComeFromTheFirstLevelUp) {
  const std::string base = "sys/devices/system/cpu/cpu3/cache/";
  const auto add = [&](int index, const char* level, const char* type, const char* size) {
    const std::string directory = base + "index" + std::to_string(index) + "/";
    tree.write(directory + "level", level);
    tree.write(directory + "type", type);
    tree.write(directory + "size", size);
    tree.write(directory + "ways_of_associativity", "12");
    tree.write(directory + "coherency_line_size", "64");
  };
  add(0, "2", "Unified", "2048K");
  add(1, "1", "Instruction", "32K");
  add(2, "1", "Data", "48K");
  const auto caches = advertised_caches(3, root);
  ASSERT_EQ(caches.size(), 2U);
  EXPECT_EQ(caches[0].bytes, 48U << 10U);
  EXPECT_EQ(caches[0].ways, 12U);
  EXPECT_EQ(caches[0].line_bytes, 64U);
  EXPECT_EQ(caches[1].level, 2U);
  EXPECT_EQ(caches[1].bytes, 2U << 20U);
  EXPECT_THAT(advertised_caches(4, root), IsEmpty());
}

TEST_F(ChaseMachine, OnlyNodesWithMemoryCount) {
  tree.write("sys/devices/system/node/has_memory", "0,2");
  tree.write("sys/devices/system/node/node0/cpulist", "0-1");
  tree.write("sys/devices/system/node/node2/cpulist", "4-5");
  const auto nodes = memory_nodes(root);
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[1].number, 2);
  EXPECT_THAT(nodes[1].cpus, ElementsAre(4, 5));
  const auto alone = memory_nodes(root + "/nowhere");
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].cpus, allowed_cpus());
}

TEST_F(ChaseMachine, TheAllowanceIsTheAvailableMemory) {
  tree.write("proc/meminfo", "MemTotal: 9 kB\nMemFree:  100 kB\nMemAvailable:    2048 kB\n");
  const auto allowed = memory_allowance(root);
  ASSERT_TRUE(allowed);
  EXPECT_EQ(allowed->bytes, 2U << 20U);
  EXPECT_EQ(allowed->limit, "free memory");
  EXPECT_FALSE(memory_allowance(root + "/nowhere"));
}

TEST_F(ChaseMachine, TheTightestControlGroupCounts) {
  tree.write("proc/meminfo", "MemAvailable: 1048576 kB\n");
  tree.write("proc/self/cgroup", "0::/outer/inner\n");
  tree.write("sys/fs/cgroup/outer/memory.max", "104857600\n");
  tree.write("sys/fs/cgroup/outer/memory.current", "41943040\n");
  tree.write("sys/fs/cgroup/outer/memory.stat", "anon 5\ninactive_file 10485760\n");
  tree.write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  tree.write("sys/fs/cgroup/outer/inner/memory.current", "41943040\n");
  const auto allowed = memory_allowance(root);
  ASSERT_TRUE(allowed);
  EXPECT_EQ(allowed->bytes, 70U << 20U);  // 100 MiB, less 40 in use, of which 10 can be given up
  EXPECT_THAT(allowed->limit, testing::HasSubstr("outer/memory.max"));
}

TEST_F(ChaseMachine, GroupsOfVersion1CountToo) {
  tree.write("proc/meminfo", "MemAvailable: 1048576 kB\n");
  tree.write("proc/self/cgroup", "5:cpu,memory:/docker/abc\n0::/\n");
  // In the container the group's own path does not exist; its root does.
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "20971520\n");
  tree.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "10485760\n");
  const auto allowed = memory_allowance(root);
  ASSERT_TRUE(allowed);
  EXPECT_EQ(allowed->bytes, 10U << 20U);
}

TEST_F(ChaseMachine, TimeThatOtherThreadsAndTheHypervisorTook) {
  tree.write("proc/thread-self/schedstat", "5000 7000 3\n");
  tree.write("proc/stat",
             "cpu  1 2 3 4 5 6 7 88 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu1 1 2 3 4 5 6 7 9 0 0\n");
  const TimeTaken taken = time_taken(1, root);
  EXPECT_EQ(taken.waited, 7000U);
  EXPECT_TRUE(taken.knows_stolen);
  EXPECT_EQ(taken.stolen, 90'000'000U);
  EXPECT_FALSE(time_taken(2, root).knows_stolen);
}

}  // namespace
}  // namespace tacho::chase::TEST_FILE

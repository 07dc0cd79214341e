// Tests generic hardware, cache and software names. The numbers are those that `perf stat -vv` of
// perf 6.1 asks the kernel for; perf_event_open(2) has them, too.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "events/catalogue.hpp"

namespace tacho::TEST_FILE {
namespace {

struct Expected {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
};

const std::vector<Expected> kExpected = {
    {"cycles", 0, 0},
    {"cpu-cycles", 0, 0},
    {"instructions", 0, 1},
    {"cache-references", 0, 2},
    {"cache-misses", 0, 3},
    {"branches", 0, 4},
    {"branch-instructions", 0, 4},
    {"branch-misses", 0, 5},
    {"bus-cycles", 0, 6},
    {"stalled-cycles-frontend", 0, 7},
    {"idle-cycles-frontend", 0, 7},
    {"stalled-cycles-backend", 0, 8},
    {"idle-cycles-backend", 0, 8},
    {"ref-cycles", 0, 9},
    {"cpu-clock", 1, 0},
    {"task-clock", 1, 1},
    {"page-faults", 1, 2},
    {"faults", 1, 2},
    {"context-switches", 1, 3},
    {"cs", 1, 3},
    {"cpu-migrations", 1, 4},
    {"migrations", 1, 4},
    {"minor-faults", 1, 5},
    {"major-faults", 1, 6},
    {"alignment-faults", 1, 7},
    {"emulation-faults", 1, 8},
    {"dummy", 1, 9},
    {"bpf-output", 1, 10},
    {"cgroup-switches", 1, 11},
    {"L1-dcache-loads", 3, 0x0},
    {"L1-dcache-load-misses", 3, 0x10000},
    {"L1-dcache-stores", 3, 0x100},
    {"L1-dcache-store-misses", 3, 0x10100},
    {"L1-dcache-prefetches", 3, 0x200},
    {"L1-dcache-prefetch-misses", 3, 0x10200},
    {"L1-icache-loads", 3, 0x1},
    {"L1-icache-load-misses", 3, 0x10001},
    {"L1-icache-prefetches", 3, 0x201},
    {"LLC-loads", 3, 0x2},
    {"LLC-load-misses", 3, 0x10002},
    {"LLC-stores", 3, 0x102},
    {"LLC-prefetch-misses", 3, 0x10202},
    {"dTLB-loads", 3, 0x3},
    {"dTLB-load-misses", 3, 0x10003},
    {"dTLB-stores", 3, 0x103},
    {"dTLB-prefetch-misses", 3, 0x10203},
    {"iTLB-loads", 3, 0x4},
    {"iTLB-load-misses", 3, 0x10004},
    {"branch-loads", 3, 0x5},
    {"branch-load-misses", 3, 0x10005},
    {"node-loads", 3, 0x6},
    {"node-load-misses", 3, 0x10006},
    {"node-stores", 3, 0x106},
    {"node-prefetches", 3, 0x206},
    // perf's other spellings.
    {"l1-d-loads", 3, 0x0},
    {"l1d-load-misses", 3, 0x10000},
    {"L1-data-write", 3, 0x100},
    {"L1-dcache", 3, 0x0},
    {"L1-dcache-misses", 3, 0x10000},
    {"L1-dcache-misses-loads", 3, 0x10000},
    {"L1-dcache-loads-misses", 3, 0x10000},
    {"L1-dcache-speculative-read", 3, 0x200},
    {"L1-dcache-load-access", 3, 0x0},
    {"LLC-load-refs", 3, 0x2},
    {"L2-loads", 3, 0x2},
    {"d-tlb-loads", 3, 0x3},
    {"Data-TLB-loads", 3, 0x3},
    {"bpu", 3, 0x5},
    {"bpc-loads", 3, 0x5},
    {"branch-read-refs", 3, 0x5},
    {"node", 3, 0x6},
    // Newer versions of perf ignore the case.
    {"CYCLES", 0, 0},
    {"l1-dcache-loads", 3, 0x0},
    {"llc-LOAD-misses", 3, 0x10002},
    {"Page-Faults", 1, 2},
    // The PMU's own code.
    {"r01c2", 4, 0x1c2},
    {"r1C2", 4, 0x1c2},
    {"rffffffffffffffff", 4, 0xffffffffffffffff},
};

TEST(EventsGeneric, NamesHaveTheEncodingsThatPerfUses) {
  const Catalogue catalogue({"/nonexistent/sysfs", {"/nonexistent/tracefs"}});
  for (const Expected& expected : kExpected) {
    const auto event = catalogue.resolve(expected.name);
    ASSERT_TRUE(event) << event.error().what;
    EXPECT_EQ(event->name, expected.name);
    EXPECT_EQ(event->type, expected.type) << expected.name;
    EXPECT_EQ(event->config, expected.config) << expected.name;
    EXPECT_EQ(event->domain, expected.type == 1 ? Domain::software : Domain::core) << expected.name;
    EXPECT_TRUE(event->any_level) << expected.name;
  }
}

TEST(EventsGeneric, PairsThatTheKernelRejectsAreNotEvents) {
  const Catalogue catalogue({"/nonexistent/sysfs", {"/nonexistent/tracefs"}});
  for (const char* name :
       {"iTLB-stores", "iTLB-prefetches", "L1-icache-stores", "branch-stores",
        "L1-dcache-loads-stores", "L1-dcache-", "L1-dcache-loadsx", "LLC--loads"})
    EXPECT_FALSE(catalogue.resolve(name)) << name;
}

TEST(EventsGeneric, OnlyEventsOfTheKernelCountInTheKernelOnly) {
  const Catalogue catalogue;
  for (const char* name : {"context-switches", "cs", "cpu-migrations", "cgroup-switches"})
    EXPECT_TRUE(catalogue.resolve(name)->counts_in_kernel) << name;
  for (const char* name : {"page-faults", "task-clock", "cycles", "L1-dcache-loads"})
    EXPECT_FALSE(catalogue.resolve(name)->counts_in_kernel) << name;
}

TEST(EventsGeneric, ClocksCountNanoseconds) {
  const Catalogue catalogue;
  EXPECT_EQ(catalogue.resolve("task-clock")->unit, "ns");
  EXPECT_EQ(catalogue.resolve("cpu-clock:u")->unit, "ns");
  EXPECT_EQ(catalogue.resolve("cycles")->unit, "");
}

}  // namespace
}  // namespace tacho::TEST_FILE

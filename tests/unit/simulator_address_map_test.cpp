// Addresses of programs up to 2^47 become addresses below 2^37: different ones stay different, and
// a line keeps its set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <vector>

extern "C" {
#include "address_map.h"
}

namespace tacho::simulator::TEST_FILE {
namespace {

constexpr std::uint64_t kWindow = 1 << 24;    // bytes
constexpr std::uint64_t kLimit = 1ULL << 37;  // 128 GiB

// The starts of the windows in which the program has memory.
std::set<std::uint64_t> memory;

int in_use(std::uint64_t start, std::uint64_t end) {
  const auto found = memory.lower_bound(start);
  return found != memory.end() && *found < end ? 1 : 0;
}

void exhausted() {
  std::_Exit(125);
}

class SimulatorAddressMap : public testing::Test {
 protected:
  SimulatorAddressMap() {
    memory.clear();
    address_map_init(&map_, in_use, exhausted, [](const char*, size_t bytes) {
      return std::malloc(bytes);  // the map never frees
    });
  }
  ~SimulatorAddressMap() override {
    std::free(map_.place_of);
    std::free(map_.window_at);
  }

  // The program has memory in this window and uses it.
  std::uint64_t use(std::uint64_t address) {
    memory.insert(address / kWindow * kWindow);
    return address_map_find(&map_, address);
  }

  address_map map_{};
};

TEST_F(SimulatorAddressMap, AddressesBelowTheLimitStay) {
  for (const std::uint64_t address : {0ULL, 0x400123ULL, 0x4000000ULL, 0x1ffeffe8f0ULL})
    EXPECT_EQ(use(address), address);
}

TEST_F(SimulatorAddressMap, AddressesInUseStayDifferentAndKeepTheirPlaceInAWay) {
  const std::vector<std::uint64_t> starts = {
      0x400000,     0xc000000000,  0xc000000000 + kLimit, 0xc001000000, (1ULL << 47) - kWindow,
      0x1ffe000000, 0x7f0000000000};
  std::set<std::uint64_t> seen;
  for (const std::uint64_t start : starts)
    for (const std::uint64_t offset : {0ULL, 64ULL, 0x123440ULL, 0x7fffc0ULL}) {
      const std::uint64_t found = use(start + offset);
      EXPECT_LT(found, kLimit);
      EXPECT_EQ(found % kWindow, (start + offset) % kWindow);
      EXPECT_TRUE(seen.insert(found).second) << std::hex << start + offset;
      EXPECT_EQ(use(start + offset), found);
    }
}

// Memory that the program had before, and uses only later, keeps its addresses.
TEST_F(SimulatorAddressMap, FarMemoryTakesNoPlaceOfNearMemory) {
  for (std::uint64_t window = 1; window < kLimit / kWindow; window += 2)
    memory.insert(window * kWindow);
  for (std::uint64_t i = 0; i < 1'000; ++i)
    EXPECT_EQ(use((1ULL << 46) + i * kWindow) / kWindow % 2, 0U);
  for (std::uint64_t window = 1; window < kLimit / kWindow; window += 2)
    EXPECT_EQ(use(window * kWindow), window * kWindow);
}

TEST_F(SimulatorAddressMap, PlacesOfMemoryThatWasFreedServeAgain) {
  use(0);
  const std::uint64_t kept = use(0xc000000000);
  for (std::uint64_t i = 0; i < 3 * kLimit / kWindow; ++i) {
    const std::uint64_t address = (1ULL << 46) + i * kWindow;
    EXPECT_NE(use(address), kept);
    memory.erase(address);
  }
  EXPECT_EQ(use(0xc000000000), kept);
}

TEST_F(SimulatorAddressMap, TooManyRegionsAreAnErrorNotAWrongCount) {
  for (std::uint64_t i = 0; i < kLimit / kWindow - 1; ++i) use((1ULL << 46) + i * kWindow);
  EXPECT_EXIT(use(0xc000000000), testing::ExitedWithCode(125), "");
}

}  // namespace
}  // namespace tacho::simulator::TEST_FILE

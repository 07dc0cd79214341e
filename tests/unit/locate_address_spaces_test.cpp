// What processes have at their addresses, from recordings that are made to take much memory.
#include "locate/address_spaces.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

perfdata::Mapping mapping(std::int32_t pid, std::uint64_t start, const std::string& path) {
  perfdata::Mapping made;
  made.pid = made.tid = pid;
  made.start = start;
  made.length = 0x1000;
  made.path = path;
  made.mode = perfdata::Mode::user;
  return made;
}

perfdata::Fork fork_of(std::int32_t parent, std::int32_t child) {
  perfdata::Fork fork;
  fork.pid = fork.tid = child;
  fork.parent_pid = fork.parent_tid = parent;
  return fork;
}

std::string path_at(const AddressSpaces& spaces, std::int32_t pid, std::uint64_t address) {
  return spaces.modules()[spaces.find(pid, perfdata::Mode::user, address).module].path;
}

TEST(LocateAddressSpaces, AChildAndItsParentChangeIndependently) {
  AddressSpaces spaces;
  spaces.add(mapping(1, 0x1000, "/a"));
  spaces.add(mapping(1, 0x2000, "/b"));
  spaces.add(fork_of(1, 2));
  spaces.add(mapping(2, 0x1000, "/child"));
  spaces.add(fork_of(2, 3));
  spaces.add(mapping(1, 0x2000, "/parent"));
  EXPECT_EQ(path_at(spaces, 1, 0x1000), "/a");
  EXPECT_EQ(path_at(spaces, 1, 0x2000), "/parent");
  EXPECT_EQ(path_at(spaces, 2, 0x1000), "/child");
  EXPECT_EQ(path_at(spaces, 3, 0x1000), "/child");
  EXPECT_EQ(path_at(spaces, 3, 0x2fff), "/b");
  EXPECT_EQ(spaces.warning(), "");
}

// A real recording of 100,000 forks of a process with 300 mappings is far from the limit. How much
// a single change copies is random: each child makes 16, far from each other.
TEST(LocateAddressSpaces, ForksThatCopyTooMuchLoseWhatTheyBeganWith) {
  AddressSpaces spaces;
  for (std::uint64_t i = 0; i < 3200; ++i) spaces.add(mapping(1, 0x100000 + i * 0x2000, "/a"));
  std::int32_t pid = 2;
  const auto fork_and_change = [&] {
    spaces.add(fork_of(1, pid));
    for (std::uint64_t i = 0; i < 16; ++i)
      spaces.add(mapping(pid, 0x101000 + i * 200 * 0x2000, "/b"));
    ++pid;
  };
  while (pid < 2'000) fork_and_change();
  EXPECT_EQ(spaces.warning(), "");
  while (pid < 200'000 && spaces.warning().empty()) fork_and_change();
  EXPECT_NE(spaces.warning().find("without the mappings that they began with"), std::string::npos);
  EXPECT_EQ(path_at(spaces, pid - 1, 0x101000), "/b");
  EXPECT_EQ(path_at(spaces, pid - 1, 0x100000), "[unknown]");
  EXPECT_EQ(path_at(spaces, pid - 2, 0x100000), "/a");
}

TEST(LocateAddressSpaces, BuildIdsOfTheHeaderAreForModulesWithoutOne) {
  AddressSpaces spaces;
  spaces.add(mapping(1, 0x1000, "/a"));
  spaces.add(mapping(1, 0x2000, "/b"));
  const auto id = [](std::uint8_t byte) {
    perfdata::BuildId made;
    made.size = 2;
    made.bytes[0] = made.bytes[1] = byte;
    return made;
  };
  using perfdata::Mode;
  std::vector<perfdata::Description::BuildIdOf> ids{{-1, Mode::user, id(1), "/a"},
                                                    {-1, Mode::user, id(2), "/a"}};
  const auto of = [&](std::uint64_t address) {
    return spaces.modules()[spaces.find(1, Mode::user, address).module].build_id;
  };
  spaces.add_build_ids(ids);
  EXPECT_EQ(of(0x1000), "0101") << "the first one";
  EXPECT_EQ(of(0x2000), "");
  ids.push_back({-1, Mode::user, id(3), "/b"});
  ids.push_back({-1, Mode::user, id(4), "/c"});
  spaces.add_build_ids(ids);
  EXPECT_EQ(of(0x2000), "0303");
  spaces.add(mapping(1, 0x3000, "/c"));
  spaces.add_build_ids(ids);
  EXPECT_EQ(of(0x3000), "0404");
}

}  // namespace
}  // namespace tacho::TEST_FILE

// Build IDs of ELF files are the same as those that symbols::ElfFile reads.
#include "base/build_id.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "events_made_up_tree.hpp"
#include "symbols/elf_file.hpp"

namespace tacho::TEST_FILE {
namespace {

std::string hex(const std::vector<std::uint8_t>& id) {
  return fmt::format("{:02x}", fmt::join(id, ""));
}

TEST(BuildIdOfFile, IsThatOfTheSectionHeadersReader) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const auto elf = symbols::ElfFile::open(self);
  ASSERT_TRUE(elf.has_value());
  EXPECT_EQ(hex(read_build_id(self)), elf->build_id());
}

TEST(BuildIdOfFile, IsNoneWhereAFileIsNoElfOrCutShort) {
  const MadeUpTree tree;
  const std::string path = tree.path("file");
  EXPECT_TRUE(read_build_id(path).empty());
  EXPECT_TRUE(read_build_id("/").empty());
  std::string whole(1024, '\0');
  std::ifstream("/proc/self/exe").read(whole.data(), static_cast<std::streamsize>(whole.size()));
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    std::ofstream(path, std::ios::trunc) << whole.substr(0, length);
    const auto id = read_build_id(path);
    EXPECT_LE(id.size(), 20U) << length;
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE

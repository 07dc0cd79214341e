// Warnings about files that have no source lines: a few are named. Those that the simulator loads
// into each process have none: nobody has their sources, or misses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "events_made_up_tree.hpp"
#include "locate/resolver.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

// The warnings after source lines were looked for in files of these names that have none.
std::vector<std::string> warnings_of(const std::vector<std::string>& names) {
  const MadeUpTree tree;
  std::vector<Module> modules;
  for (const std::string& name : names) {
    std::filesystem::create_symlink("/bin/true", tree.path(name));
    modules.push_back(
        {.kind = ModuleKind::file, .path = tree.path(name), .build_id = {}, .reference = {}});
  }
  const perfdata::Description recording;
  Resolver resolver(modules, recording, {});
  for (std::uint32_t module = 0; module < modules.size(); ++module)
    EXPECT_EQ(resolver.line_of({module, 0}).line, 0U);
  return resolver.warnings();
}

TEST(LinelessFiles, AreNamedIfTheyAreFew) {
  EXPECT_THAT(warnings_of({"program"}),
              testing::ElementsAre(HasSubstr("no source lines of program")));
  EXPECT_EQ(warnings_of({"a", "b", "c", "d", "e", "f"}).size(), 6U);
  const std::vector<std::string> many = warnings_of({"a", "b", "c", "d", "e", "f", "g", "h"});
  ASSERT_EQ(many.size(), 6U);
  EXPECT_THAT(many[4], HasSubstr("no source lines of e"));
  EXPECT_THAT(many[5], HasSubstr("no source lines of 3 more files"));
}

TEST(LinelessFiles, OfTheSimulatorAreNotNamed) {
  EXPECT_THAT(warnings_of({"vgpreload_core-amd64-linux.so"}), testing::IsEmpty());
}

}  // namespace
}  // namespace tacho::TEST_FILE

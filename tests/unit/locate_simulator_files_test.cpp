// Files that the simulator loads into each process: nobody has their sources, or misses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "events_made_up_tree.hpp"
#include "locate/resolver.hpp"

namespace tacho::TEST_FILE {
namespace {

// The warnings after a source line was looked for in a file of this name that has none.
std::vector<std::string> warnings_of(const std::string& name) {
  const MadeUpTree tree;
  std::filesystem::create_symlink("/bin/true", tree.path(name));
  const std::vector<Module> modules{
      {.kind = ModuleKind::file, .path = tree.path(name), .build_id = {}, .reference = {}}};
  const perfdata::Description recording;
  Resolver resolver(modules, recording, {});
  EXPECT_EQ(resolver.line_of({0, 0}).line, 0U);
  return resolver.warnings();
}

TEST(SimulatorFiles, HaveNoWarningAboutSourceLines) {
  EXPECT_THAT(warnings_of("program"),
              testing::ElementsAre(testing::HasSubstr("no source lines of program")));
  EXPECT_THAT(warnings_of("vgpreload_core-amd64-linux.so"), testing::IsEmpty());
}

}  // namespace
}  // namespace tacho::TEST_FILE

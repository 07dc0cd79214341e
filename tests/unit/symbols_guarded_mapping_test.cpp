#include "symbols/guarded_mapping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "symbols/binary.hpp"
#include "symbols_built_program.hpp"

namespace tacho::symbols::TEST_FILE {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// Each test has a program of its own, so the warnings of the others do not matter.
void expect_warning(const std::string& path) {
  EXPECT_THAT(warnings_of_changed_files(),
              Contains(HasSubstr("'" + path + "' was cut off or changed while it was read")));
}

TEST(SymbolsGuardedMapping, AProgramThatIsCutOffMeanwhileIsReadToItsNewEnd) {
  if (!has_compiler()) GTEST_SKIP() << "no C++ compiler";
  const BuiltProgram program;
  const std::uint64_t address = program.functions().at("main").first;
  const auto binary = Binary::open(program.path(), {}, {});
  ASSERT_TRUE(binary);
  EXPECT_THAT(warnings_of_changed_files(), Not(Contains(HasSubstr(program.path()))));
  std::filesystem::resize_file(program.path(), 4096);
  EXPECT_EQ((*binary)->functions().at(address), nullptr);
  expect_warning(program.path());
}

TEST(SymbolsGuardedMapping, DebugInformationThatIsCutOffMeanwhileHasFewerLines) {
  if (!has_compiler()) GTEST_SKIP() << "no C++ compiler";
  const BuiltProgram program;
  const std::uint64_t address = program.functions().at("main").first;
  const auto lines = SourceLines::open(program.path());
  if (!lines && lines.error().what.contains("without elfutils"))
    GTEST_SKIP() << "built without elfutils";
  ASSERT_TRUE(lines) << lines.error().what;
  std::filesystem::resize_file(program.path(), 0);
  EXPECT_TRUE((*lines)->frames_at(address).empty());
  expect_warning(program.path());
}

TEST(SymbolsGuardedMapping, AFileThatIsRewrittenInPlaceIsNamedAlsoWhenItIsClosed) {
  const MadeUpTree tree;
  std::filesystem::copy_file("/bin/sh", tree.path("program"));
  ASSERT_TRUE(ElfFile::open(tree.path("program")));
  EXPECT_THAT(warnings_of_changed_files(), Not(Contains(HasSubstr(tree.path()))));
  {
    const auto file = ElfFile::open(tree.path("program"));
    ASSERT_TRUE(file);
    std::ofstream(tree.path("program"), std::ios::in | std::ios::out) << "another";
  }
  expect_warning(tree.path("program"));
}

TEST(SymbolsGuardedMapping, AnotherFileAtThePathIsNoChange) {
  const MadeUpTree tree;
  std::filesystem::copy_file("/bin/sh", tree.path("program"));
  const auto file = ElfFile::open(tree.path("program"));
  ASSERT_TRUE(file);
  tree.write("new", "another");
  std::filesystem::rename(tree.path("new"), tree.path("program"));
  EXPECT_THAT(warnings_of_changed_files(), Not(Contains(HasSubstr(tree.path()))));
}

TEST(SymbolsGuardedMapping, OtherBusErrorsStillEndTheProcess) {
  const MadeUpTree tree;
  std::filesystem::copy_file("/bin/sh", tree.path("program"));
  const auto file = ElfFile::open(tree.path("program"));  // the handler is installed
  ASSERT_TRUE(file);
  EXPECT_DEATH(::raise(SIGBUS), "");  // a sanitizer reports it, and exits
}

}  // namespace
}  // namespace tacho::symbols::TEST_FILE

// Runs programs that read their input, and programs that do not.
#include "process/run_with_input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using ::testing::HasSubstr;

const std::string kMuch(700'000, 'x');  // more than a pipe buffers

TEST(RunWithInput, TheProgramReadsAllOfTheInput) {
  const MadeUpTree tree;
  const std::string copy = tree.path("copy");
  const std::vector<std::string> argv{"dd", "status=none", "of=" + copy};
  EXPECT_TRUE(run_with_input(argv, kMuch));
  EXPECT_EQ(std::filesystem::file_size(copy), kMuch.size());
}

TEST(RunWithInput, AProgramThatFailsOrDoesNotExistIsAnError) {
  const std::vector<std::string> argv{"false"};
  EXPECT_THAT(run_with_input(argv, kMuch).error().what, HasSubstr("'false' failed with status 1"));
  const std::vector<std::string> none{"no-such-program-of-tacho"};
  EXPECT_EQ(run_with_input(none, kMuch).error().code, ENOENT);
}

}  // namespace
}  // namespace tacho::TEST_FILE

// Runs programs for their output, and programs that give none.
#include "process/run_for_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

using ::testing::HasSubstr;

Result<std::string> output_of(std::vector<std::string> argv, std::string_view input = "",
                              std::chrono::milliseconds time = std::chrono::minutes(1)) {
  return run_for_output(argv, input, time, 1 << 20);
}

TEST(RunForOutput, ReturnsTheStandardOutput) {
  EXPECT_EQ(output_of({"tr", "a-z", "A-Z"}, "hello").value(), "HELLO");
  const std::string much(700'000, 'x');  // more than a pipe buffers, in both directions
  EXPECT_EQ(output_of({"cat"}, much).value(), much);
}

TEST(RunForOutput, FailsIfTheProgramGivesNoOutputInTime) {
  EXPECT_EQ(output_of({"no-such-program-of-tacho"}).error().code, ENOENT);
  EXPECT_THAT(output_of({"false"}).error().what, HasSubstr("'false' failed"));
  EXPECT_THAT(output_of({"yes"}).error().what, HasSubstr("printed more than 1048576 bytes"));
  EXPECT_THAT(output_of({"sleep", "3600"}, "", std::chrono::milliseconds(50)).error().what,
              HasSubstr("took too long"));
}

}  // namespace
}  // namespace tacho::TEST_FILE

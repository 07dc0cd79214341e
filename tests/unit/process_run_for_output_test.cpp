// Programs that are asked something: their answer, and what becomes of those that give none.
#include "process/run_for_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

namespace tacho {
namespace {

using ::testing::HasSubstr;

Result<std::string> asked(std::vector<std::string> argv, std::string_view input = "",
                          std::chrono::milliseconds time = std::chrono::minutes(1)) {
  return run_for_output(argv, input, time, 1 << 20);
}

TEST(Ask, TheAnswerIsWhatItSays) {
  EXPECT_EQ(asked({"tr", "a-z", "A-Z"}, "hello").value(), "HELLO");
  const std::string much(700'000, 'x');  // more than a pipe holds, both ways
  EXPECT_EQ(asked({"cat"}, much).value(), much);
}

TEST(Ask, WhatGivesNoAnswerIsAnError) {
  EXPECT_EQ(asked({"no-such-program-of-tacho"}).error().code, ENOENT);
  EXPECT_THAT(asked({"false"}).error().what, HasSubstr("'false' failed"));
  EXPECT_THAT(asked({"yes"}).error().what, HasSubstr("says too much"));
  EXPECT_THAT(asked({"sleep", "3600"}, "", std::chrono::milliseconds(50)).error().what,
              HasSubstr("took too long"));
}

}  // namespace
}  // namespace tacho

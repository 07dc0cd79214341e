// A command that is given as one text: words as sh(1) makes them, and what only a shell could do.
#include "compare/shell_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::TEST_FILE {
namespace {

using Words = std::vector<std::string>;

TEST(ShellWords, AreWhatAShellWouldPassToTheCommand) {
  // The right sides are what `sh -c 'printf "[%s]" …'` prints.
  EXPECT_EQ(*shell_words("./a  400\t-v"), (Words{"./a", "400", "-v"}));
  EXPECT_EQ(*shell_words("echo 'a  b' \"c d\""), (Words{"echo", "a  b", "c d"}));
  EXPECT_EQ(*shell_words("a'b'\"c\"d"), (Words{"abcd"}));
  EXPECT_EQ(*shell_words("a '' \"\""), (Words{"a", "", ""}));
  EXPECT_EQ(*shell_words("a\\ b \\' \\\\"), (Words{"a b", "'", "\\"}));
  EXPECT_EQ(*shell_words("\"a\\\"b\\n\""), (Words{"a\"b\\n"}));
  EXPECT_EQ(*shell_words("'$HOME | *'"), (Words{"$HOME | *"}));
  EXPECT_EQ(*shell_words("a#b a~b"), (Words{"a#b", "a~b"}));
}

TEST(ShellWords, WhatNeedsAShellIsAnErrorThatNamesIt) {
  for (const std::string text : {"a | b", "a > f", "a; b", "a && b", "echo $HOME", "echo \"$HOME\"",
                                 "echo `id`", "ls *.c", "ls ~", "a # b", "(a)"}) {
    const auto words = shell_words(text);
    ASSERT_FALSE(words.has_value()) << text;
    EXPECT_THAT(words.error().what, testing::HasSubstr("is for a shell")) << text;
    EXPECT_THAT(words.error().remedy, testing::HasSubstr("--shell")) << text;
  }
}

TEST(ShellWords, AnUnfinishedQuoteAndNoWordsAreErrors) {
  EXPECT_THAT(shell_words("a 'b").error().what, testing::HasSubstr("has no end"));
  EXPECT_THAT(shell_words("a \"b").error().what, testing::HasSubstr("has no end"));
  EXPECT_THAT(shell_words("  \t").error().what, testing::HasSubstr("empty"));
}

}  // namespace
}  // namespace tacho::TEST_FILE

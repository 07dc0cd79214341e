// A line for a shell, and the words that a shell makes of it.
#include "base/shell_line.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

// The words that sh makes of the line, each in brackets.
std::string words_of_shell(const std::string& line) {
  std::FILE* shell = ::popen(("printf '[%s]' " + line).c_str(), "r");
  std::string text;
  for (int c = std::fgetc(shell); c != EOF; c = std::fgetc(shell)) text += static_cast<char>(c);
  return ::pclose(shell) == 0 ? text : "failed";
}

TEST(ShellLine, AShellReadsTheSameWords) {
  const std::vector<std::string> words = {
      "sh",    "-c",   "cat a | sort", "it's", "''",   "$HOME",
      "`x`",   "a\\b", "\"q\"",        "~",    "*",    "#",
      "a;b&c", "",     "{a,b}",        "é",    "x\ny", "--x=1,2:3/4@5%6+7.8_9",
      "!no",   "(sub)"};
  std::string expected;
  for (const std::string& word : words) expected += "[" + word + "]";
  EXPECT_EQ(words_of_shell(shell_line(words)), expected);
}

TEST(ShellLine, QuotesOnlyWhatNeedsThem) {
  const std::vector<std::string> words = {"./app", "-O2", "a=b", "/tmp/x.txt", "50%", "two words"};
  EXPECT_EQ(shell_line(words), "./app -O2 a=b /tmp/x.txt 50% 'two words'");
  EXPECT_EQ(shell_line({}), "");
}

}  // namespace
}  // namespace tacho::TEST_FILE

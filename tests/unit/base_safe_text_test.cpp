// Text from data as tacho writes it: spelled where a reader could not see it, cut by columns, and
// as cells of CSV and values of JSON. tests/cli/test_hostile_text.py compares the characters with
// Python's tables.
#include "base/safe_text.hpp"

#include <gtest/gtest.h>

#include "base/characters.hpp"
#include "base/number.hpp"

namespace TEST_FILE {
namespace {

using namespace tacho;

TEST(SafeText, SpellsWhatControlsATerminal) {
  EXPECT_EQ(printable("\x1b[31m\x7f\r\n\t"), "\\x1b[31m\\x7f\\x0d\\x0a\\x09");
  EXPECT_EQ(printable("\u009b31m\u0085"), "\\u009b31m\\u0085");
  EXPECT_EQ(printable("\u202eabc\u2066\u200b\ufeff\u2028\u00ad"),
            "\\u202eabc\\u2066\\u200b\\ufeff\\u2028\\u00ad");
  EXPECT_EQ(printable("\U000E0041"), "\\U000e0041");
}

TEST(SafeText, SpellsBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("\xff\x9b"), "\\xff\\x9b");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xc0\x80\xf4\x90\x80\x80"), "\\xc0\\x80\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xe4\xb8"), "\\xe4\\xb8") << "cut short";
}

TEST(SafeText, LeavesLettersOfAllLanguages) {
  constexpr std::string_view kText = "größe 中文 😀 á \\ \"'";
  EXPECT_EQ(printable(kText), kText);
}

TEST(SafeText, IsCutByColumnsAndNotInsideASpelling) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcdef…");
  EXPECT_EQ(printable("ab\x1b"
                      "cd",
                      5),
            "ab…");
  EXPECT_EQ(printable("ab\x1b"
                      "cd",
                      6),
            "ab\\x1b…");
  EXPECT_EQ(printable("中文字", 4), "中文…");
  EXPECT_EQ(printable("中文字", 5), "中文…");
}

TEST(SafeText, MarksThatCombineHaveNoWidthButAreLimited) {
  std::string marks = "a";
  for (int i = 0; i < 100; ++i) marks += "\u0301";
  EXPECT_EQ(display_width(marks), 1U);
  EXPECT_EQ(display_width(printable(marks, 10)), 2U) << "a with 9 marks, and …";
  EXPECT_EQ(printable(marks, 10).size(), 1 + 9 * 2 + 3U);
}

TEST(SafeText, WidthIsInColumns) {
  EXPECT_EQ(display_width("a long name of plain letters"), 28U);
  EXPECT_EQ(display_width("中文"), 4U);
  EXPECT_EQ(display_width("€ ± µ"), 5U);
}

TEST(SafeText, PlainBytesEndAtEachOtherByteAtEachPlace) {
  for (int byte = 0; byte < 256; ++byte)
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text(20, 'x');
      text[at] = static_cast<char>(byte);
      const bool plain = byte >= 0x20 && byte < 0x7f;
      EXPECT_EQ(plain_bytes(text), plain ? 20 : at) << byte;
    }
}

TEST(SafeText, EscapedIsReversible) {
  EXPECT_EQ(escaped("a\\x1b\x1b\u202e"), "a\\\\x1b\\x1b\\u202e");
}

TEST(SafeText, JsonIsSpelledAsJsonDoes) {
  EXPECT_EQ(json_spelled("{\n\"a\u009b\u202e\U000E0041é\x7f\": 1\n}"),
            "{\n\"a\\u009b\\u202e\\udb40\\udc41é\\u007f\": 1\n}");
  EXPECT_EQ(json_spelled("[\"plain\"]"), "[\"plain\"]");
}

TEST(SafeText, CellsAreQuotedAndRunNoFormula) {
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"a\""), "\"say \"\"a\"\"\"");
  EXPECT_EQ(csv_cell("=1+1"), "\\x3d1+1");
  EXPECT_EQ(csv_cell("+1"), "\\x2b1");
  EXPECT_EQ(csv_cell("-[View draw]"), "\\x2d[View draw]");
  EXPECT_EQ(csv_cell("@SUM(A1)"), "\\x40SUM(A1)");
  EXPECT_EQ(csv_cell("＝1"), "\\uff1d1");
  EXPECT_EQ(csv_cell("a;=1"), "a;\\x3d1") << "where ; separates cells";
  EXPECT_EQ(csv_cell("operator=(A, -1)"), "\"operator=(A, -1)\"");
}

TEST(SafeText, LinesStayLines) {
  EXPECT_EQ(printable_lines("a\tb\nc\x1b[31md\n", Colours::removed), "a\tb\nc\\x1b[31md\n");
  EXPECT_EQ(printable_lines("\x1b[31md\x1b[0m\x1b]0;T\x07\u202e\n", Colours::kept),
            "\x1b[31md\x1b[0m\\x1b]0;T\\x07\\u202e\n");
  EXPECT_EQ(printable_lines("\x1b[31", Colours::kept), "\\x1b[31");
}

}  // namespace
}  // namespace TEST_FILE

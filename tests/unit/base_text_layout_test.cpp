#include "base/text_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/number.hpp"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TextLayout, NamesLoseTheirMiddle) {
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("abcdefghij", 7), "abc…hij");
  EXPECT_EQ(shortened("abcdefghij", 6), "abc…ij");
  // Wide characters take two columns: no half of one is shown.
  for (std::size_t width = 3; width < 12; ++width)
    EXPECT_LE(display_width(shortened("日本語の名前", width)), width);
  EXPECT_EQ(shortened("日本語の名前", 6), "日…前");
}

TEST(TextLayout, LinesFitIfNamesCanBeShortened) {
  const std::vector<Cells> rows = {{"12.5 %", std::string(30, 'm'), std::string(90, 'f')},
                                   {"1.5 %", "libc.so.6", "main"}};
  for (const std::size_t width : {80UL, 60UL, 40UL}) {
    const std::string text = aligned(rows, ">nn", " ", width);
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      EXPECT_LE(display_width(std::string_view(text).substr(at, text.find('\n', at) - at)), width);
  }
  // Figures are never shortened, and each name keeps 14 columns.
  EXPECT_EQ(aligned(rows, ">nn", " ", 10),
            " 12.5 %  mmmmmmm…mmmmmm  fffffff…ffffff\n"
            "  1.5 %  libc.so.6       main\n");
  EXPECT_EQ(aligned({{"a", std::string(40, 'w')}}, "<w", "", 20), "a  wwwwwwwwwwwwwwww…\n");
}

TEST(TextLayout, ColumnsAreLeftOutInTheirOrderAndNotMoreThanNeeded) {
  const auto left_out = [](std::size_t width) {
    std::vector<Cells> rows = {
        {"samples", "total", "95 %", "module", "function"},
        {"1234567", "10.0 %", "9.1…11.2 %", "libc.so.6", std::string(40, 'f')}};
    std::string sides = ">>>nn";
    auto titles = leave_columns_out(rows, sides, "", width,
                                    {{"samples"}, {"other"}, {"module"}, {"total", "95 %"}});
    EXPECT_EQ(rows[0].size() + titles.size(), 5U);
    EXPECT_EQ(rows[1].size(), sides.size());
    return titles;
  };
  EXPECT_THAT(left_out(0), IsEmpty());
  EXPECT_THAT(left_out(68), IsEmpty());  // the function keeps 28 columns
  EXPECT_THAT(left_out(67), ElementsAre("samples"));
  EXPECT_THAT(left_out(58), ElementsAre("samples", "module"));
  EXPECT_THAT(left_out(40), ElementsAre("samples", "module", "total", "95 %"));
}

}  // namespace
}  // namespace tacho

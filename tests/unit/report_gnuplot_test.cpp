// Tests text for gnuplot scripts: what is quoted stays one text, and gnuplot runs none of it.
#include "report/gnuplot.hpp"

#include <gtest/gtest.h>

namespace tacho::TEST_FILE {
namespace {

TEST(ReportGnuplot, AQuotedTextIsOneLineWithoutAnEndInside) {
  EXPECT_EQ(in_quotes("it's"), "'it''s'");
  EXPECT_EQ(in_quotes("x\nsystem('id')"), "'x\\x0asystem(''id'')'");
  EXPECT_EQ(in_quotes("\r\x1b[2J"), "'\\x0d\\x1b[2J'");
}

TEST(ReportGnuplot, TheNameOfAFileIsNoCommand) {
  EXPECT_EQ(file_in_quotes("/tmp/a b.svg"), "'/tmp/a b.svg'");
  EXPECT_EQ(file_in_quotes("<id"), "'./<id'");
  EXPECT_EQ(file_in_quotes("|id"), "'./|id'");
}

}  // namespace
}  // namespace tacho::TEST_FILE

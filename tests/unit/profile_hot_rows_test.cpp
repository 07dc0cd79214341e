// Which lines and instructions of an annotation are shown, and the text that shows them.
#include "profile/hot_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/number.hpp"
#include "profile/report.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

AnnotatedCount count_of(std::uint64_t first, std::uint64_t second = 0) {
  AnnotatedCount count;
  for (const std::uint64_t samples : {first, second}) {
    count.counts.push_back({samples, 1000 * samples, 1e6 * static_cast<double>(samples)});
    count.counts95.emplace_back();
    count.shares.push_back(static_cast<double>(samples) / 100);
    count.shares95.emplace_back();
  }
  count.share = count.shares[0];
  return count;
}

// 100 samples of each of two events.
struct MadeUpAnnotation : Annotation {
  MadeUpAnnotation() {
    events.resize(2);
    events[0].name = "cycles";
    events[1].name = "misses";
    for (SampledEvent& each : events) each.count.samples = 100;
    function = "work";
    path = "/home/me/program";
    total = count_of(100, 100);
  }
  void line(const char* file, unsigned number, std::uint64_t first, std::uint64_t second = 0) {
    lines.push_back({file, number, "text of " + std::to_string(number), count_of(first, second)});
  }
  void code(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      instructions.push_back({0x1000 + i, 1, "nop", count_of(0), lines.size(), ""});
  }
};

std::vector<unsigned> numbers(const Annotation& of, const ShownRows& shown) {
  std::vector<unsigned> found;
  for (const std::size_t row : shown.rows) found.push_back(of.lines[row].number);
  return found;
}

TEST(HotRows, OwnLinesComeBeforeThoseOfTheSystem) {
  MadeUpAnnotation it;
  it.line("/usr/include/c++/12/bits/stl_algo.h", 90, 60);
  it.line("/home/me/a.cpp", 30, 15);
  it.line("/home/me/b.cpp", 20, 25);
  EXPECT_THAT(numbers(it, shown_lines(it, false)), ElementsAre(20, 30, 90));
}

TEST(HotRows, LinesFarFromHotOnesAreLeftOutAndCounted) {
  MadeUpAnnotation it;
  for (unsigned i = 1; i <= 40; ++i) it.line("/home/me/a.cpp", i, i == 20 ? 97 : i == 30 ? 3 : 0);
  const ShownRows shown = shown_lines(it, false);
  EXPECT_THAT(numbers(it, shown), ElementsAre(18, 19, 20, 21, 22));
  EXPECT_EQ(shown.left_out, 35U);
  EXPECT_DOUBLE_EQ(shown.left_out_share, 0.03);
  EXPECT_EQ(shown_lines(it, true).rows.size(), 40U);
  EXPECT_EQ(shown_lines(it, true).left_out, 0U);
}

TEST(HotRows, TheHotLineOfTheSecondEventIsShownAndMarked) {
  MadeUpAnnotation it;
  for (unsigned i = 1; i <= 40; ++i)
    it.line("/home/me/a.cpp", i, i == 5 ? 100 : 0, i == 35 ? 79 : i == 5 ? 21 : 0);
  EXPECT_THAT(numbers(it, shown_lines(it, false)), testing::Contains(35));
  const std::string text = annotation_text(it, {}, false);
  EXPECT_THAT(text, HasSubstr("> 79.0 %"));
  EXPECT_THAT(text, HasSubstr("also 100 samples of misses"));
}

TEST(HotRows, OfInstructionsThoseAroundTheHotOnesAreShown) {
  MadeUpAnnotation it;
  it.code(1000);
  it.instructions[500].samples = count_of(100, 100);
  const ShownRows shown = shown_instructions(it, false);
  EXPECT_THAT(shown.rows, ElementsAre(497, 498, 499, 500, 501, 502, 503));
  const std::string text = annotation_text(it, {}, false);
  EXPECT_LT(std::ranges::count(text, '\n'), 25);
  EXPECT_THAT(text,
              HasSubstr("993 instructions more, with 0.0 % of the samples (--all shows all)"));
  EXPECT_THAT(annotation_text(it, {}, true), Not(HasSubstr("--all")));
}

TEST(HotRows, LinesFitTheTerminalAndAreWholeElsewhere) {
  MadeUpAnnotation it;
  const std::string source(200, 'x');
  it.line("/home/me/a.cpp", 7, 100, 100);
  it.lines.back().text = source;
  it.code(3);
  it.instructions[1].samples = count_of(100, 100);
  it.instructions[1].text = "call <" + std::string(150, 'y') + ">";
  for (const std::size_t width : {80U, 120U}) {
    std::istringstream lines(
        annotation_text(it, {.numbers = {}, .colour = false, .width = width}, false));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(display_width(line), width) << line;
  }
  const std::string whole = annotation_text(it, {}, false);
  EXPECT_THAT(whole, HasSubstr(source));
  EXPECT_THAT(whole, HasSubstr(it.instructions[1].text));
}

TEST(HotRows, SourcesOfCompilersAndTheSystemAreForeign) {
  for (const char* file :
       {"/usr/include/stdio.h", "/usr/lib/gcc/x86_64-linux-gnu/12/include/x.h",
        "/opt/gcc-14/include/c++/14.1.0/vector", "/rustc/90b35a6/library/core/x.rs"})
    EXPECT_TRUE(is_foreign_source(file)) << file;
  for (const char* file : {"/home/me/a.cpp", "/usr/src/me/a.c", "a.cpp", "/work/include/a.hpp"})
    EXPECT_FALSE(is_foreign_source(file)) << file;
}

}  // namespace
}  // namespace tacho::TEST_FILE

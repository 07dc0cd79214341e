// Stretches of time as users write them: perf's forms and seconds after the first sample.
#include "locate/time_slices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace tacho::TEST_FILE {
namespace {

constexpr auto kEnd = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kSecond = 1'000'000'000;

struct Span {
  std::uint64_t from, to;
  bool operator==(const Span&) const = default;
};

// The slices of a recording from 100 s to 110 s.
std::vector<Span> spans(std::string_view text) {
  const auto slices = parse_time_slices(text);
  if (!slices) return {};
  std::vector<Span> made;
  for (const TimeSlice& each : on_clock(*slices, {100 * kSecond, 110 * kSecond}))
    made.push_back({each.from_ns, each.to_ns});
  return made;
}

TEST(TimeSlices, OfTheClockKeepAllDigits) {
  EXPECT_EQ(spans("105.123456789,106"), (std::vector<Span>{{105'123'456'789, 106 * kSecond}}));
  EXPECT_EQ(spans("105.5,"), (std::vector<Span>{{105'500'000'000, kEnd}}));
  EXPECT_EQ(spans(",105"), (std::vector<Span>{{0, 105 * kSecond}}));
  EXPECT_EQ(spans("1,2 3,4"),
            (std::vector<Span>{{1 * kSecond, 2 * kSecond}, {3 * kSecond, 4 * kSecond}}));
}

TEST(TimeSlices, AfterTheFirstSample) {
  EXPECT_EQ(spans("+1,+2.5"), (std::vector<Span>{{101 * kSecond, 102'500'000'000}}));
  EXPECT_EQ(spans("+1,"), (std::vector<Span>{{101 * kSecond, kEnd}}));
  EXPECT_EQ(spans(",+0.5"), (std::vector<Span>{{100 * kSecond, 100'500'000'000}}));
}

// A sample at the border of two slices belongs to one of them; the last sample belongs to the last.
TEST(TimeSlices, ByShareDoNotOverlap) {
  EXPECT_EQ(spans("0%-10%"), (std::vector<Span>{{100 * kSecond, 101 * kSecond - 1}}));
  EXPECT_EQ(spans("10%/2"), (std::vector<Span>{{101 * kSecond, 102 * kSecond - 1}}));
  EXPECT_EQ(spans("90%-100%"), (std::vector<Span>{{109 * kSecond, 110 * kSecond}}));
  EXPECT_EQ(spans("0%-10%,50%-60%").size(), 2U);
  EXPECT_EQ(spans("50%/1 50%/2").size(), 2U);
}

TEST(TimeSlices, NonsenseIsRefusedWithAllForms) {
  for (const char* text :
       {"", ",", "1", "2,1", "1,2,3", "a,b", "1.,2", "+1,2", "-1,2", "10%", "20%-10%", "10%/0",
        "10%/11", "-5%-5%", "0%-101%", "10%-20", "nan%-5%", "99999999999,999999999999999999999"}) {
    const auto slices = parse_time_slices(text);
    ASSERT_FALSE(slices) << text;
    EXPECT_THAT(slices.error().remedy, testing::HasSubstr("10%-20%"));
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE

// Numbers for people, in the styles of several countries.
#include "base/number.hpp"

#include <gtest/gtest.h>
#include <locale.h>
#include <stdlib.h>

#include <climits>
#include <cmath>
#include <limits>

namespace tacho::TEST_FILE {
namespace {

const NumberStyle kPlain{};
const NumberStyle kBritish{",", ".", "\3"};
const NumberStyle kGerman{".", ",", "\3\3"};
const NumberStyle kFrench{"\u202f", ",", "\3"};
const NumberStyle kIndian{",", ".", "\3\2"};

TEST(Number, WholeNumbersAreGroupedAsTheCountryDoes) {
  EXPECT_EQ(whole(11794467561, kPlain), "11794467561");
  EXPECT_EQ(whole(11794467561, kBritish), "11,794,467,561");
  EXPECT_EQ(whole(11794467561, kGerman), "11.794.467.561");
  EXPECT_EQ(whole(11794467561, kFrench), "11\u202f794\u202f467\u202f561");
  EXPECT_EQ(whole(11794467561, kIndian), "11,79,44,67,561");
}

TEST(Number, GroupsBeginOnlyWhenThereAreDigitsForThem) {
  EXPECT_EQ(whole(0, kBritish), "0");
  EXPECT_EQ(whole(999, kBritish), "999");
  EXPECT_EQ(whole(1000, kBritish), "1,000");
  EXPECT_EQ(whole(999999, kBritish), "999,999");
  EXPECT_EQ(whole(std::numeric_limits<std::uint64_t>::max(), kBritish),
            "18,446,744,073,709,551,615");
}

TEST(Number, CharMaxEndsTheGrouping) {
  const NumberStyle once{",", ".", std::string("\3") + static_cast<char>(CHAR_MAX)};
  EXPECT_EQ(whole(1234567890, once), "1234567,890");
  EXPECT_EQ(whole(1234567890, NumberStyle{",", ".", std::string(1, CHAR_MAX)}), "1234567890");
}

TEST(Number, FixedRoundsAndUsesTheDecimalSign) {
  EXPECT_EQ(fixed(1234567.891, 2, kBritish), "1,234,567.89");
  EXPECT_EQ(fixed(1234567.891, 2, kGerman), "1.234.567,89");
  EXPECT_EQ(fixed(1234567.891, 0, kFrench), "1\u202f234\u202f568");
  EXPECT_EQ(fixed(-1234.5, 1, kBritish), "-1,234.5");
  EXPECT_EQ(fixed(0.96, 1, kPlain), "1.0");
}

TEST(Number, ARoundedZeroHasNoSign) {
  EXPECT_EQ(fixed(-0.001, 2, kPlain), "0.00");
  EXPECT_EQ(fixed(-0.0, 0, kPlain), "0");
}

TEST(Number, AValueThatIsNotFiniteIsWrittenAsADash) {
  EXPECT_EQ(fixed(std::nan(""), 2, kPlain), "-");
  EXPECT_EQ(fixed(-std::numeric_limits<double>::infinity(), 2, kPlain), "-");
}

TEST(Number, TheLargestDoubleFits) {
  EXPECT_EQ(fixed(std::numeric_limits<double>::max(), 30, kPlain).size(), 309U + 1 + 30);
}

TEST(Number, BytesTakeTheUnitThatKeepsThemShort) {
  EXPECT_EQ(bytes(0, kBritish), "0 B");
  EXPECT_EQ(bytes(1023, kBritish), "1,023 B");
  EXPECT_EQ(bytes(1024, kBritish), "1.0 KiB");
  EXPECT_EQ(bytes(6500000, kGerman), "6,2 MiB");
  EXPECT_EQ(bytes((1ULL << 20) - 1, kBritish), "1.0 MiB");  // not 1,024.0 KiB
  EXPECT_EQ(bytes(std::numeric_limits<std::uint64_t>::max(), kBritish), "16.0 EiB");
}

TEST(Number, WidthCountsCharactersNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("12 \u00b1 3 \u00b5s"), 9U);
  EXPECT_EQ(display_width("1\u202f234"), 5U);
}

// Sets an environment variable, and restores it in the destructor.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = getenv(name)) before_ = before;
    had_ = getenv(name) != nullptr;
    setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { had_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::string before_;
  bool had_ = false;
};

TEST(NumberStyle, OfALocaleThatDoesNotExistIsPlain) {
  const Variable locale("LC_ALL", "xx_NOWHERE.UTF-8");
  EXPECT_EQ(fixed(1234567.5, 1, NumberStyle::of_environment()), "1234567.5");
}

TEST(NumberStyle, ReadingItDoesNotChangeTheLocaleOfTheProcess) {
  const Variable locale("LC_ALL", "C");
  const std::string before = setlocale(LC_ALL, nullptr);
  EXPECT_EQ(whole(1234567, NumberStyle::of_environment()), "1234567");
  EXPECT_EQ(setlocale(LC_ALL, nullptr), before);
  EXPECT_STREQ(localeconv()->decimal_point, ".");
}

}  // namespace
}  // namespace tacho::TEST_FILE

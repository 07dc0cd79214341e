// Mangled names whose text is exponentially longer than they are.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbols/bounded_name.hpp"
#include "symbols/demangle.hpp"
#include "symbols/rust_names.hpp"

namespace tacho::symbols::TEST_FILE {
namespace {

using testing::EndsWith;
using testing::StartsWith;

// The back reference to the component of this number (Itanium ABI, 5.1.10).
std::string reference(std::size_t number) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (number == 0) return "S_";
  --number;
  std::string digits(1, kDigits[number % 36]);
  if (number >= 36) digits = kDigits[number / 36 - 1] + digits;
  return "S" + digits + "_";
}

// A function of pairs, each of which has two of the pairs before it.
std::string doubling_name(std::size_t levels) {
  std::string name = "_Z1fSt4pairIiiE";
  for (std::size_t i = 1; i <= levels; ++i) name += fmt::format("S_I{0}{0}E", reference(i));
  return name;
}

// What it stands for, from the definition of the mangling.
std::string doubled_text(std::size_t levels) {
  std::string pair = "std::pair<int, int>";
  std::string text = "f(" + pair;
  for (std::size_t i = 0; i < levels; ++i) {
    pair = fmt::format("std::pair<{0}, {0}{1}>", pair, pair.ends_with('>') ? " " : "");
    text += ", " + pair;
  }
  return text + ")";
}

TEST(SymbolsNameLimits, ANameOfFewLevelsIsDemangled) {
  for (const std::size_t levels : {1U, 3U, 6U})
    EXPECT_EQ(demangled(doubling_name(levels)), doubled_text(levels));
}

TEST(SymbolsNameLimits, ANameThatStandsForGigabytesStaysMangled) {
  for (const std::size_t levels : {20U, 60U, 700U}) {
    const std::string name = doubling_name(levels);
    EXPECT_EQ(demangled(name), name);
    EXPECT_EQ(brief_name(name), name);
    EXPECT_TRUE(is_too_long_to_demangle(name));
    EXPECT_TRUE(is_too_long_to_demangle(name + "@plt"));
  }
  EXPECT_FALSE(is_too_long_to_demangle(doubling_name(3)));
  EXPECT_FALSE(is_too_long_to_demangle("_Zwhat is this"));
  EXPECT_FALSE(is_too_long_to_demangle("main"));
}

// binutils and GCC parse each T_I in two ways: 2^60 here.
TEST(SymbolsNameLimits, ANameThatIsParsedAgainAndAgainStaysMangled) {
  std::string name = "_ZN1acv";
  for (int i = 0; i < 60; ++i) name += "T_I";
  name += "i" + std::string(60, 'E') + "Ev";
  EXPECT_EQ(demangled(name), name);
  EXPECT_TRUE(is_too_long_to_demangle(name));
  EXPECT_FALSE(is_too_long_to_demangle("_ZN1acvT_IiEIS_EEv"));
}

// The printer puts an entry on the stack for each pair of a template and a reference to a
// parameter.
TEST(SymbolsNameLimits, NeitherDepthNorWidthOverflowsTheStack) {
  std::string wide = "_Z1fIiEv";
  for (int i = 0; i < 900; ++i) wide += "RT_1aIiE";
  static_cast<void>(demangled(wide));
  std::string deep = "_Z1f";
  for (int i = 0; i < 1900; ++i) deep += "1aI";
  static_cast<void>(demangled(deep + "i" + std::string(1900, 'E')));
  static_cast<void>(demangled("_Z1f" + std::string(8000, 'P') + "i"));
}

// __cxa_demangle refuses names of more than 1024 bytes.
TEST(SymbolsNameLimits, ALongNameThatDoesNotUnfoldIsDemangled) {
  if (rust_name("_RC1a").text != "a") GTEST_SKIP() << "built without libiberty";
  std::string name = "_ZN3one";
  for (int i = 0; i < 400; ++i) name += fmt::format("5n{:04}", i);
  const std::string text = demangled(name + "Ev");
  EXPECT_THAT(text, StartsWith("one::n0000::n0001::"));
  EXPECT_THAT(text, EndsWith("::n0399()"));
  EXPECT_EQ(text.size(), std::string("one()").size() + 400 * std::string("::n0000").size());
}

TEST(SymbolsNameLimits, TextsAreWithinTheLimit) {
  EXPECT_EQ(most_text(0), 1024U);
  EXPECT_EQ(most_text(1 << 20), 65536U);
  for (std::size_t levels = 1; levels < 40; ++levels) {
    const std::string name = doubling_name(levels);
    EXPECT_LE(demangled(name).size(), most_text(name.size()));
  }
}

}  // namespace
}  // namespace tacho::symbols::TEST_FILE

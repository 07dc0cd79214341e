// What is said about recorded files that are not there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locate/resolver.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<std::string> warnings_of_missing(int files) {
  AddressSpaces spaces;
  std::vector<CodePlace> places;
  for (int i = 0; i < files; ++i) {
    perfdata::Mapping mapping;
    mapping.pid = 1;
    mapping.start = 0x10000U * static_cast<unsigned>(i + 1);
    mapping.length = 0x1000;
    mapping.path = fmt::format("/nonexistent/{}.so", i);
    spaces.add(mapping);
    places.push_back(spaces.find(1, perfdata::Mode::user, mapping.start));
  }
  const perfdata::Description description;
  Resolver resolver(spaces.modules(), description, {});
  for (const CodePlace& place : places) static_cast<void>(resolver.function_of(place));
  return resolver.warnings();
}

TEST(MissingFiles, TheFirstFiveAreListedOneALineAndTheRestIsCounted) {
  const auto many = warnings_of_missing(12);
  ASSERT_EQ(many.size(), 6U);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_THAT(many[i],
                AllOf(HasSubstr(fmt::format("/nonexistent/{}.so", i)), HasSubstr("no such file")));
  EXPECT_THAT(many[5], AllOf(HasSubstr("7 more files"), HasSubstr("--symfs")));
  EXPECT_EQ(warnings_of_missing(6).size(), 6U) << "the sixth takes no more room than its count";
  EXPECT_EQ(warnings_of_missing(0).size(), 0U);
}

}  // namespace
}  // namespace tacho::TEST_FILE

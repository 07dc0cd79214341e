// The placeholders in the names of the files that `tacho stat` and `tacho record` write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "report/names/output_names.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

TEST(OutputNames, PlaceholdersAreFilledIn) {
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  setenv("TACHO_TEST_RANK", "17", 1);
  EXPECT_EQ(*filled_in_name("out.%h.%p.json"),
            "out." + std::string(host) + "." + std::to_string(getpid()) + ".json");
  EXPECT_EQ(*filled_in_name("%q{TACHO_TEST_RANK}/%q{TACHO_TEST_RANK}.json"), "17/17.json");
  unsetenv("TACHO_TEST_RANK");
}

TEST(OutputNames, OtherNamesStay) {
  for (const char* const name : {"", "out.json", "-", "50%.json", "%", "5%5", "100 % sure", "%{x}"})
    EXPECT_EQ(*filled_in_name(name), name);
  EXPECT_EQ(*filled_in_name("100%%cpu"), "100%cpu");
  EXPECT_EQ(*filled_in_name("%%p"), "%p");
}

TEST(OutputNames, WhatHasNoMeaningIsAnError) {
  for (const char* const name : {"out.%H", "%d", "50%off"}) {
    const auto filled = filled_in_name(name);
    ASSERT_FALSE(filled) << name;
    EXPECT_THAT(filled.error().what, HasSubstr("has no meaning"));
    EXPECT_THAT(filled.error().remedy, HasSubstr("%% a %"));
  }
  EXPECT_THAT(filled_in_name("%q").error().what, HasSubstr("%q without {NAME}"));
  EXPECT_THAT(filled_in_name("%q{HOME").error().what, HasSubstr("%q without {NAME}"));
  EXPECT_THAT(filled_in_name("%q{TACHO_NO_SUCH}").error().what, HasSubstr("'TACHO_NO_SUCH'"));
}

}  // namespace
}  // namespace tacho::TEST_FILE

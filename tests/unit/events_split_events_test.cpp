// Tests the splitting of event lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "events/split_events.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;
using Groups = std::vector<std::vector<std::string>>;

Groups split(std::string_view list) {
  auto groups = split_events(list);
  EXPECT_TRUE(groups) << groups.error().what;
  return groups.value_or(Groups{});
}

std::string failure_of(std::string_view list) {
  const auto groups = split_events(list);
  return groups ? "split" : groups.error().what;
}

TEST(EventsSplitEvents, CommasSeparateAndBracesJoin) {
  EXPECT_EQ(split("a"), (Groups{{"a"}}));
  EXPECT_EQ(split("a,b"), (Groups{{"a"}, {"b"}}));
  EXPECT_EQ(split("a,{b,c},d"), (Groups{{"a"}, {"b", "c"}, {"d"}}));
  EXPECT_EQ(split("{a},{b,c}"), (Groups{{"a"}, {"b", "c"}}));
  EXPECT_EQ(split(" a , { b ,\n c } "), (Groups{{"a"}, {"b", "c"}}));
}

TEST(EventsSplitEvents, CommasBetweenSlashesDoNotSeparate) {
  EXPECT_EQ(split("cpu/event=1,umask=2/u,b"), (Groups{{"cpu/event=1,umask=2/u"}, {"b"}}));
  EXPECT_EQ(split("{cpu/a,b/,imc/c,d/}"), (Groups{{"cpu/a,b/", "imc/c,d/"}}));
}

TEST(EventsSplitEvents, AGroupsModifiersGoToEachMember) {
  EXPECT_EQ(split("{a,b}:u"), (Groups{{"a:u", "b:u"}}));
  EXPECT_EQ(split("{cycles:u,b}:k"), (Groups{{"cycles:uk", "b:k"}}));
  EXPECT_EQ(split("{cpu/event=1/,cpu/event=2/p}:u"), (Groups{{"cpu/event=1/u", "cpu/event=2/pu"}}));
  EXPECT_EQ(split("{sched:sched_switch,INST_RETIRED:ANY_P:e}:u"),
            (Groups{{"sched:sched_switch:u", "INST_RETIRED:ANY_P:e:u"}}));
}

TEST(EventsSplitEvents, MalformedListsAreRefusedWithTheReason) {
  EXPECT_THAT(failure_of(""), HasSubstr("empty"));
  EXPECT_THAT(failure_of("a,,b"), HasSubstr("missing beside a comma"));
  EXPECT_THAT(failure_of("a,"), HasSubstr("missing beside a comma"));
  EXPECT_THAT(failure_of("{}"), HasSubstr("missing"));
  EXPECT_THAT(failure_of("{a,}"), HasSubstr("missing"));
  EXPECT_THAT(failure_of("{a,b"), HasSubstr("'{' is not closed"));
  EXPECT_THAT(failure_of("a}"), HasSubstr("'}' without a '{'"));
  EXPECT_THAT(failure_of("{a,{b}}"), HasSubstr("inside braces"));
  EXPECT_THAT(failure_of("a{b}"), HasSubstr("right behind an event"));
  EXPECT_THAT(failure_of("{a}{b}"), HasSubstr("right behind"));
  EXPECT_THAT(failure_of("{a}b"), HasSubstr("follows a '}'"));
  EXPECT_THAT(failure_of("{a}:xyz"), HasSubstr("follows a '}'"));
  EXPECT_THAT(failure_of("cpu/event=1,b"), HasSubstr("has no partner"));
}

TEST(EventsSplitEvents, LengthIsLimited) {
  std::string many = "a";
  for (int i = 0; i < 5000; ++i) many += ",a";
  EXPECT_THAT(failure_of(many), HasSubstr("more than 4096 events"));
  EXPECT_THAT(failure_of(std::string(70'000, 'a')), HasSubstr("longer than 64 KiB"));
}

}  // namespace
}  // namespace tacho::TEST_FILE

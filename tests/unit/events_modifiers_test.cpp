// Tests modifiers behind event names. perf-list(1) explains each letter; the excluded levels are
// those of perf 6.1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "events/catalogue.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

// The levels that are not counted, as letters of u, k and h.
std::string excluded(const std::string& spec) {
  const auto event = Catalogue().resolve(spec);
  if (!event) return event.error().what;
  EXPECT_EQ(event->name, spec);
  return std::string(event->exclude_user ? "u" : "") + (event->exclude_kernel ? "k" : "") +
         (event->exclude_hv ? "h" : "");
}

TEST(EventsModifiers, NamedLevelsExcludeTheOthers) {
  EXPECT_EQ(excluded("cycles"), "");
  EXPECT_EQ(excluded("cycles:u"), "kh");
  EXPECT_EQ(excluded("cycles:k"), "uh");
  EXPECT_EQ(excluded("cycles:h"), "uk");
  EXPECT_EQ(excluded("cycles:uk"), "h");
  EXPECT_EQ(excluded("L1-dcache-loads:ku"), "h");
  EXPECT_EQ(excluded("r01c2:u"), "kh");
  EXPECT_EQ(excluded("page-faults:u"), "kh");
}

TEST(EventsModifiers, OnlyANamedLevelKeepsTheKernelIn) {
  EXPECT_TRUE(Catalogue().resolve("cycles:pp")->any_level);
  EXPECT_TRUE(Catalogue().resolve("cycles:D")->any_level);
  EXPECT_FALSE(Catalogue().resolve("cycles:k")->any_level);
  EXPECT_FALSE(Catalogue().resolve("cycles:uk")->any_level);
}

TEST(EventsModifiers, OtherLettersSetTheirFields) {
  EXPECT_EQ(Catalogue().resolve("cycles:p")->precise, 1);
  EXPECT_EQ(Catalogue().resolve("cycles:ppu")->precise, 2);
  EXPECT_EQ(Catalogue().resolve("cycles:ppp")->precise, 3);
  EXPECT_TRUE(Catalogue().resolve("cycles:D")->pinned);
  EXPECT_TRUE(Catalogue().resolve("cycles:I")->exclude_idle);
  const auto guest = Catalogue().resolve("cycles:G");
  EXPECT_TRUE(guest->exclude_host);
  EXPECT_FALSE(guest->exclude_guest);
  const auto host = Catalogue().resolve("cycles:H");
  EXPECT_FALSE(host->exclude_host);
  EXPECT_TRUE(host->exclude_guest);
  const auto both = Catalogue().resolve("cycles:GH");
  EXPECT_FALSE(both->exclude_host);
  EXPECT_FALSE(both->exclude_guest);
  EXPECT_TRUE(both->names_guests) << "so that guests are not left out";
  EXPECT_FALSE(Catalogue().resolve("cycles:u")->names_guests);
}

TEST(EventsModifiers, PIsTheHighestLevelThatWorks) {
  const auto event = Catalogue().resolve("cycles:Pu");
  EXPECT_EQ(event->precise, 3);
  EXPECT_TRUE(event->lower_precise);
  EXPECT_TRUE(event->exclude_kernel);
  EXPECT_FALSE(Catalogue().resolve("cycles:ppp")->lower_precise);
  EXPECT_THAT(excluded("cycles:pP"), HasSubstr("exclude each other"));
}

TEST(EventsModifiers, UnsupportedLettersAreRefusedWithAReason) {
  const auto event = Catalogue().resolve("cycles:b");
  ASSERT_FALSE(event);
  EXPECT_THAT(event.error().what, HasSubstr("is not supported"));
  EXPECT_NE(event.error().remedy, "");
}

TEST(EventsModifiers, LettersOfGroupsAreTaken) {
  EXPECT_TRUE(Catalogue().resolve("cycles:e")->exclusive);
  EXPECT_TRUE(Catalogue().resolve("cycles:W")->weak);
  EXPECT_TRUE(Catalogue().resolve("cycles:Su")->sampling.by_leader);
  EXPECT_FALSE(Catalogue().resolve("cycles:u")->sampling.by_leader);
}

TEST(EventsModifiers, InvalidLettersAreRefused) {
  EXPECT_THAT(excluded("cycles:x"), HasSubstr("no modifier 'x'"));
  EXPECT_THAT(excluded("cycles:uu"), HasSubstr("is given twice"));
  EXPECT_THAT(excluded("cycles:pppp"), HasSubstr("three p's"));
  EXPECT_THAT(excluded("cycles:"), HasSubstr("no modifier behind the colon"));
  EXPECT_THAT(excluded("cycles:u:k"), HasSubstr("no modifier ':'"));
}

}  // namespace
}  // namespace tacho::TEST_FILE

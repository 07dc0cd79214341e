// Tests tracepoints, and the errors of a tracefs that can't be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

class EventsTracepoint : public testing::Test {
 protected:
  EventsTracepoint() {
    tree_.write("tracefs/events/sched/sched_switch/id", "314\n");
    tree_.write("tracefs/events/sched/sched_waking/id", "316\n");
    tree_.write("tracefs/events/sched/enable", "0\n");
    tree_.write("tracefs/events/probe_libc/malloc/id", "2000\n");
  }
  MadeUpTree tree_;
};

TEST_F(EventsTracepoint, HasTheNumberThatTracefsGives) {
  const auto event = tree_.catalogue().resolve("sched:sched_switch");
  ASSERT_TRUE(event) << event.error().what;
  EXPECT_EQ(event->type, 2U);
  EXPECT_EQ(event->config, 314U);
  EXPECT_EQ(event->domain, Domain::software);
  EXPECT_TRUE(event->counts_in_kernel);
  EXPECT_TRUE(event->any_level);
}

TEST_F(EventsTracepoint, TakesModifiers) {
  const auto event = tree_.catalogue().resolve("sched:sched_switch:k");
  ASSERT_TRUE(event) << event.error().what;
  EXPECT_EQ(event->config, 314U);
  EXPECT_TRUE(event->exclude_user);
  EXPECT_FALSE(event->any_level);
}

TEST_F(EventsTracepoint, ProbesInProgramsHappenInUserMode) {
  EXPECT_FALSE(tree_.catalogue().resolve("probe_libc:malloc")->counts_in_kernel);
}

TEST_F(EventsTracepoint, TheErrorForAMisspeltNameGivesTheNearest) {
  const auto event = tree_.catalogue().resolve("sched:sched_swich");
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().what, "unknown event 'sched:sched_swich'");
  EXPECT_THAT(event.error().remedy, HasSubstr("did you mean 'sched:sched_switch'"));
  const auto category = tree_.catalogue().resolve("shed:sched_switch");
  ASSERT_FALSE(category);
  EXPECT_THAT(category.error().remedy, HasSubstr("'sched:sched_switch'"));
}

TEST_F(EventsTracepoint, TheErrorForAPatternNamesTachoList) {
  const auto event = tree_.catalogue().resolve("sched:*");
  ASSERT_FALSE(event);
  EXPECT_THAT(event.error().remedy, HasSubstr("tacho list 'sched:*'"));
}

TEST_F(EventsTracepoint, APatternStandsForTheNamesThatMatch) {
  const Catalogue catalogue = tree_.catalogue();
  EXPECT_THAT(catalogue.expand("sched:*"),
              testing::ElementsAre("sched:sched_switch", "sched:sched_waking"));
  EXPECT_THAT(catalogue.expand("s*:*switch:k"), testing::ElementsAre("sched:sched_switch:k"));
  EXPECT_THAT(catalogue.expand("sched:no*"), testing::ElementsAre("sched:no*"));
  EXPECT_THAT(catalogue.expand("cycles:u"), testing::ElementsAre("cycles:u"));
  EXPECT_THAT(catalogue.resolve("sched:no*").error().what, HasSubstr("no tracepoint matches"));
}

TEST_F(EventsTracepoint, APatternWithoutTracefsNamesTheMissingMount) {
  const auto event = Catalogue({tree_.path("sysfs"), {tree_.path("none")}}).resolve("sched:*");
  EXPECT_THAT(event.error().what, HasSubstr("tracefs is not mounted"));
}

TEST_F(EventsTracepoint, TheSecondRootIsUsedIfTheFirstIsEmpty) {
  const Catalogue catalogue({tree_.path("sysfs"), {tree_.path("none"), tree_.path("tracefs")}});
  EXPECT_EQ(catalogue.resolve("sched:sched_switch")->config, 314U);
}

TEST_F(EventsTracepoint, AMissingMountIsNamedWithItsRemedy) {
  const Catalogue catalogue({tree_.path("sysfs"), {tree_.path("none")}});
  const auto event = catalogue.resolve("sched:sched_switch");
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, ENOENT);
  EXPECT_THAT(event.error().what, HasSubstr("tracefs is not mounted"));
  EXPECT_THAT(event.error().remedy,
              HasSubstr("mount -t tracefs -o mode=755 nodev " + tree_.path("none")));
}

TEST_F(EventsTracepoint, AMissingMountIsNotBlamedForAMisspeltNameWithModifiers) {
  const Catalogue catalogue({tree_.path("sysfs"), {tree_.path("none")}});
  const auto event = catalogue.resolve("instrutions:u");
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().what, "unknown event 'instrutions:u'");
  EXPECT_THAT(event.error().remedy, HasSubstr("did you mean 'instructions'"));
}

TEST_F(EventsTracepoint, AForbiddenMountIsNamedWithItsRemedy) {
  std::filesystem::permissions(tree_.path("tracefs"), std::filesystem::perms::none);
  // Root can read everything, so the test runs as another user.
  const bool root = ::geteuid() == 0;
  if (root) {
    std::filesystem::permissions(tree_.path(), std::filesystem::perms::all);
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const auto event = tree_.catalogue().resolve("sched:sched_switch");
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  std::filesystem::permissions(tree_.path("tracefs"), std::filesystem::perms::owner_all);
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, EACCES);
  EXPECT_THAT(event.error().what, HasSubstr("Permission denied"));
  EXPECT_THAT(event.error().remedy, HasSubstr("root"));
}

}  // namespace
}  // namespace tacho::TEST_FILE

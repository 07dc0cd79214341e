// Tests which events of a user's lists become one event, and which stay two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/catalogue.hpp"
#include "pmu/choice/event_groups.hpp"
#include "pmu/perf/perf_event.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;
using Names = std::vector<std::vector<std::string>>;

class EventGroups : public testing::Test {
 protected:
  Names names(const std::vector<std::string>& lists) {
    const auto groups = resolve_groups(pmu_, lists);
    EXPECT_TRUE(groups) << groups.error().what;
    Names found;
    for (const EventGroup& group : groups.value_or(std::vector<EventGroup>())) {
      found.emplace_back();
      for (const Event& event : group) found.back().push_back(event.name);
    }
    return found;
  }
  Catalogue catalogue_;
  PerfEventPmu pmu_{catalogue_, Trust::refused};
};

TEST_F(EventGroups, AnEventOfSeveralListsIsThereOnce) {
  EXPECT_EQ(names({"dummy,bpf-output", "dummy"}), (Names{{"dummy"}, {"bpf-output"}}));
}

TEST_F(EventGroups, AnEventThatIsTwiceInAGroupIsThereTwice) {
  EXPECT_EQ(names({"{dummy,dummy}"}), (Names{{"dummy", "dummy"}}));
  EXPECT_EQ(names({"dummy,{dummy,dummy}"}), (Names{{"dummy"}}))
      << "what an earlier list has counts the same";
}

TEST_F(EventGroups, TwoDifferentEventsOfOneNameAreRefused) {
  const auto groups = resolve_groups(pmu_, {"dummy/name=foo/,bpf-output/name=foo/"});
  ASSERT_FALSE(groups);
  EXPECT_THAT(groups.error().what, HasSubstr("two different events have the name 'foo'"));
  EXPECT_THAT(groups.error().remedy, HasSubstr("name="));
}

}  // namespace
}  // namespace tacho::TEST_FILE

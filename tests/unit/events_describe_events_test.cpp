// Tests the list of events, and the nearest names in the error for an unknown one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "events/describe_events.hpp"
#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

class EventsDescribeEvents : public testing::Test {
 protected:
  EventsDescribeEvents() {
    tree_.write("sysfs/power/type", "9\n");
    tree_.write("sysfs/power/format/event", "config:0-7\n");
    tree_.write("sysfs/power/events/energy-pkg", "event=0x02\n");
    tree_.write("sysfs/power/events/energy-pkg.unit", "Joules\n");
    tree_.write("sysfs/power/events/energy-pkg.scale", "2.3e-10\n");
    tree_.write("tracefs/events/sched/sched_switch/id", "314\n");
    tree_.write("tracefs/events/enable", "0\n");
  }
  std::vector<std::string> names(std::string_view pattern) const {
    std::vector<std::string> names;
    for (const EventDescription& row : describe_events(tree_.catalogue(), pattern))
      names.push_back(row.name);
    return names;
  }
  std::string remedy(const char* spec) const {
    const auto event = tree_.catalogue().resolve(spec);
    return event ? "resolved" : event.error().remedy;
  }
  MadeUpTree tree_;
};

TEST_F(EventsDescribeEvents, FindsPartsOfNamesInAnyCase) {
  EXPECT_EQ(names("L1-ICACHE"),
            (std::vector<std::string>{"L1-icache-loads", "L1-icache-load-misses",
                                      "L1-icache-prefetches", "L1-icache-prefetch-misses"}));
  EXPECT_EQ(names("cpu-cycles"), std::vector<std::string>{"cycles"});  // by its other spelling
  EXPECT_EQ(names("energy-pkg"), std::vector<std::string>{"power/energy-pkg/"});
  EXPECT_EQ(names("no such name"), std::vector<std::string>{});
}

TEST_F(EventsDescribeEvents, APatternMatchesWholeNames) {
  EXPECT_EQ(names("m?nor-*"), std::vector<std::string>{"minor-faults"});
  EXPECT_EQ(names("sched:*"), std::vector<std::string>{"sched:sched_switch"});
}

TEST_F(EventsDescribeEvents, GivesTheSourceOfEachName) {
  const auto source = [this](std::string_view name) {
    const auto list = describe_events(tree_.catalogue(), "");
    const auto row = std::ranges::find(list, name, &EventDescription::name);
    return row == list.end() ? "missing" : row->source + " | " + row->description;
  };
  EXPECT_THAT(source("instructions"), HasSubstr("hardware | "));
  EXPECT_THAT(source("dTLB-load-misses"), HasSubstr("cache | "));
  EXPECT_THAT(source("page-faults"), HasSubstr("software | "));
  EXPECT_EQ(source("power/energy-pkg/"), "sysfs power | event=0x02, in Joules");
  EXPECT_THAT(source("sched:sched_switch"), HasSubstr("tracepoint | "));
}

TEST_F(EventsDescribeEvents, EveryListedNameButTheVendorsResolves) {
  for (const EventDescription& row : describe_events(tree_.catalogue(), "")) {
    EXPECT_EQ(row.description.find('\n'), std::string::npos) << row.name;
    EXPECT_NE(row.description, "") << row.name;
    if (row.source.starts_with("libpfm4")) continue;
    const auto event = tree_.catalogue().resolve(row.name);
    EXPECT_TRUE(event) << event.error().what;
  }
}

TEST_F(EventsDescribeEvents, ErrorsForUnknownNamesGiveTheNearestNames) {
  EXPECT_THAT(remedy("instrutions"), HasSubstr("did you mean 'instructions'"));
  EXPECT_THAT(remedy("brnach-misses:u"), HasSubstr("did you mean 'branch-misses'"));
  EXPECT_THAT(remedy("energy-pgk"), HasSubstr("'energy-pkg'"));
  EXPECT_THAT(remedy("LLC-lods"), HasSubstr("'LLC-loads'"));
  EXPECT_THAT(remedy("qqqqqqqqqqqqqqqq"),
              AllOf(HasSubstr("tacho list shows every event of this machine"),
                    Not(HasSubstr("did you mean"))));
}

}  // namespace
}  // namespace tacho::TEST_FILE

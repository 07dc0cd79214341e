// Tests terms between slashes that belong to no PMU's format. perf-record(1) describes them under
// "event parameters".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

class EventsGeneralTerms : public testing::Test {
 protected:
  EventsGeneralTerms() {
    tree_.write("sysfs/cpu/type", "4\n");
    tree_.write("sysfs/cpu/format/event", "config:0-7\n");
  }
  Event resolve(const std::string& spec) const {
    auto event = tree_.catalogue().resolve(spec);
    EXPECT_TRUE(event) << event.error().what;
    return event.value_or(Event());
  }
  std::string failure_of(const std::string& spec) const {
    const auto event = tree_.catalogue().resolve(spec);
    return event ? "resolved" : event.error().what + "; " + event.error().remedy;
  }
  MadeUpTree tree_;
};

TEST_F(EventsGeneralTerms, GenericEventsTakeThem) {
  EXPECT_EQ(resolve("cycles/name=foo/").name, "foo");
  EXPECT_EQ(resolve("cycles/name=foo/").config, resolve("cycles").config);
  EXPECT_EQ(resolve("cpu-clock/period=10000/").sampling.period, 10'000U);
  EXPECT_EQ(resolve("cpu-clock/freq=2000/").sampling.frequency, 2'000U);
  EXPECT_EQ(resolve("cycles//").config, resolve("cycles").config);
  EXPECT_EQ(resolve("cycles//").sampling, SamplingTerms());
  EXPECT_EQ(resolve("L1-dcache-loads/period=7/").type, 3U);
  const Event named = resolve("instructions/period=1000,name=i/u");
  EXPECT_EQ(named.name, "i");
  EXPECT_EQ(named.sampling.period, 1'000U);
  EXPECT_TRUE(named.exclude_kernel);
}

TEST_F(EventsGeneralTerms, EventsOfAPmuTakeThemBesideTheirOwn) {
  const Event event = resolve("cpu/event=0x3c,period=1000,name=mine/");
  EXPECT_EQ(event.config, 0x3cU);
  EXPECT_EQ(event.name, "mine");
  EXPECT_EQ(event.sampling.period, 1'000U);
}

TEST_F(EventsGeneralTerms, WrongValuesAreRefused) {
  EXPECT_THAT(failure_of("cycles/period=0/"), HasSubstr("period=0 is not possible"));
  EXPECT_THAT(failure_of("cycles/period=x/"), HasSubstr("period"));
  EXPECT_THAT(failure_of("cycles/period=1,freq=2/"), HasSubstr("exclude each other"));
  EXPECT_THAT(failure_of("cycles/name=/"), HasSubstr("name= has no value"));
}

TEST_F(EventsGeneralTerms, PerfsOtherTermsAreRefusedWithWhatToDoInstead) {
  EXPECT_THAT(failure_of("cycles/call-graph=fp/"), HasSubstr("record with --call-graph"));
  EXPECT_THAT(failure_of("cpu/event=1,no-inherit/"), HasSubstr("'no-inherit' is not supported"));
  EXPECT_THAT(failure_of("cycles/umask=1/"), HasSubstr("its terms are name=TEXT, period=N"));
}

TEST_F(EventsGeneralTerms, RawCodesMayHaveTheirPrefix) {
  EXPECT_EQ(resolve("r0x1a").config, 0x1aU);
  EXPECT_EQ(resolve("r1a").config, 0x1aU);
}

}  // namespace
}  // namespace tacho::TEST_FILE

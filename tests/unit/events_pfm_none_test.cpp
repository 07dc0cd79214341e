// Tests a tacho without libpfm4; compiled only with TACHO_LIBPFM=OFF. The error for a vendor's name
// gives the reason; all other names are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "events/describe_events.hpp"
#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

TEST(EventsPfmNone, TheErrorForAVendorsNameGivesTheReason) {
  const auto event = MadeUpTree().catalogue().resolve("skl::INST_RETIRED:ANY_P");
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().what, "unknown event 'skl::INST_RETIRED:ANY_P'");
  EXPECT_THAT(event.error().remedy, testing::HasSubstr("libpfm4's) are not built in here"));
}

TEST(EventsPfmNone, TheKernelsNamesAreKnown) {
  EXPECT_TRUE(MadeUpTree().catalogue().resolve("instructions:u"));
}

TEST(EventsPfmNone, ListsNoVendorsNames) {
  const auto all = describe_events(MadeUpTree().catalogue(), "");
  EXPECT_FALSE(all.empty());
  EXPECT_TRUE(std::ranges::none_of(
      all, [](const EventDescription& event) { return event.source.starts_with("libpfm4"); }));
}

}  // namespace
}  // namespace tacho::TEST_FILE

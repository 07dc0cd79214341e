// A tacho without libpfm4 (TACHO_LIBPFM=OFF; compiled only then): it says why it does not know a
// vendor's name, and knows all others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "events_made_up_tree.hpp"

namespace tacho {
namespace {

TEST(EventsPfmNone, AVendorsNameIsUnknownForAReason) {
  const auto event = MadeUpTree().catalogue().resolve("skl::INST_RETIRED:ANY_P");
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().what, "unknown event 'skl::INST_RETIRED:ANY_P'");
  EXPECT_THAT(event.error().remedy, testing::HasSubstr("libpfm4's) are not built in here"));
}

TEST(EventsPfmNone, TheKernelsNamesAreKnown) {
  EXPECT_TRUE(MadeUpTree().catalogue().resolve("instructions:u"));
}

TEST(EventsPfmNone, ListsNoVendorsNames) {
  const auto all = MadeUpTree().catalogue().list("");
  EXPECT_FALSE(all.empty());
  EXPECT_TRUE(std::ranges::none_of(
      all, [](const EventDescription& event) { return event.source.starts_with("libpfm4"); }));
}

}  // namespace
}  // namespace tacho

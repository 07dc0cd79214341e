// What lost records make doubtful, and how many of them can be samples.
#include "profile/lost_records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;
using testing::Not;

perfdata::Description at_rate(std::uint64_t frequency, std::uint64_t period = 0) {
  perfdata::Description recording;
  recording.cpus_online = 2;
  recording.events.resize(1);
  recording.events[0].frequency = frequency;
  recording.events[0].period = period;
  return recording;
}

// A program that maps a page a million times in 1.7 s, sampled 1000 times a second.
TEST(LostRecords, MoreThanTheRateAllowsAreNoSamples) {
  const auto most = most_lost_samples(at_rate(1'000), 929'396, 1'400, 1.7);
  ASSERT_TRUE(most);
  EXPECT_EQ(*most, 2U * 2U * 1'700U - 1'400U) << "twice the rate, on two CPUs";
  const std::string warning = lost_records_warning(929'396, most);
  EXPECT_THAT(warning, HasSubstr("lost while recording: 929396 records"));
  EXPECT_THAT(warning, HasSubstr("at most 5400 were samples"));
  EXPECT_THAT(warning, HasSubstr("functions may have no name"));
}

TEST(LostRecords, AsManyAsTheRateAllowsMayBeSamples) {
  const auto most = most_lost_samples(at_rate(1'000), 500, 1'400, 1.7);
  EXPECT_EQ(most, 500U);
  EXPECT_THAT(lost_records_warning(500, most), HasSubstr("Shares are of the rest"));
}

TEST(LostRecords, ThereIsNoBoundWithoutARateOrTheNumberOfCpus) {
  EXPECT_EQ(most_lost_samples(at_rate(0, 1'000), 929'396, 1'400, 1.7), std::nullopt);
  perfdata::Description anywhere = at_rate(1'000);
  anywhere.cpus_online.reset();
  EXPECT_EQ(most_lost_samples(anywhere, 929'396, 1'400, 1.7), std::nullopt);
  EXPECT_THAT(lost_records_warning(929'396, std::nullopt), Not(HasSubstr("at most")));
}

}  // namespace
}  // namespace tacho::TEST_FILE

// Counts, CPU time and the cost of a sample, which follow the version of the recorder.
#include "perfdata/recorder_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace TEST_FILE {
namespace {

using tacho::perfdata::Description;
using tacho::perfdata::OptionalU64;
using tacho::perfdata::take_version;
using tacho::perfdata::version_with_notes;
using testing::ElementsAre;
using testing::IsEmpty;

Description taken(const std::string& version) {
  Description description;
  take_version(version, description);
  return description;
}

TEST(RecorderNotes, AreReadBack) {
  Description written;
  written.perf_version = "tacho";
  written.counted = {120, std::nullopt, 80'000'000'000};
  written.cpu_time_ns = 70'123'456;
  written.sample_cost_ns = 2'910;
  written.begin_ns = 1'200;
  written.end_ns = 3'400;
  EXPECT_EQ(version_with_notes(written),
            "tacho, counted 120 - 80000000000, 70123456 ns of CPU time, sampled from 1200 to 3400 "
            "ns, 2910 ns a sample");
  const Description back = taken(version_with_notes(written));
  EXPECT_EQ(back.perf_version, "tacho");
  EXPECT_THAT(back.counted, ElementsAre(OptionalU64(120), OptionalU64(), 80'000'000'000));
  EXPECT_EQ(back.cpu_time_ns, 70'123'456U);
  EXPECT_EQ(back.sample_cost_ns, 2'910);
  EXPECT_EQ(back.begin_ns, 1'200U);
  EXPECT_EQ(back.end_ns, 3'400U);
}

TEST(RecorderNotes, AVersionWithoutThemStaysAsItIs) {
  for (const std::string version : {"6.1.0", "6.12, patched", "tacho", "tacho, counted 1 x",
                                    "tacho, counted1", "tacho, sampled from 9 to 3 ns",
                                    "tacho, sampled from 1 to", "tacho, x ns of CPU time", ""}) {
    const Description description = taken(version);
    EXPECT_EQ(description.perf_version, version);
    EXPECT_THAT(description.counted, IsEmpty()) << version;
    EXPECT_FALSE(description.cpu_time_ns || description.sample_cost_ns) << version;
  }
}

TEST(RecorderNotes, ThoseOfOlderRecordingsHaveTheCostOnly) {
  const Description description = taken("tacho, 2910 ns a sample");
  EXPECT_EQ(description.perf_version, "tacho");
  EXPECT_EQ(description.sample_cost_ns, 2'910);
}

}  // namespace
}  // namespace TEST_FILE

// Lists are measured on the CPU that was asked for.
#include "latency/native_survey.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <vector>

#include "base/cpus.hpp"
#include "latency/chase/timer.hpp"

namespace tacho::TEST_FILE {
namespace {

constexpr auto kGoOn = [] { return false; };

TEST(LatencyNativeSurvey, AListDuringWhichTheCpuWasTakenIsNotKept) {
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "this process may use one CPU only";
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  ASSERT_TRUE(keep_to_cpu(cpus[0]));
  NativeSurveyRequest request;
  request.sizes = {4096, 8192, 16384};
  request.most_bytes = request.sizes.back();
  request.huge = false;
  const chase::ChosenTimer timer = chase::choose_timer(cpus[0]);
  request.machine.tick_hz = timer.hz;
  request.probing.cpu = cpus[0];
  request.probing.timer = timer.timer;
  request.probing.effort.step = timer.step;
  request.probing.effort.block_times = timer.block_times;
  // Progress is reported before each list: the last list is measured on the other CPU, and none
  // follows.
  int lists = 0;
  const auto survey = survey_machine(request, kGoOn, [&](const SurveyProgress& now) {
    if (now.what != "getting memory" && ++lists == 3) static_cast<void>(keep_to_cpu(cpus[1]));
  });
  ::sched_setaffinity(0, sizeof before, &before);
  ASSERT_TRUE(survey) << survey.error().what;
  EXPECT_EQ(survey->samples.size(), 2U);
  EXPECT_TRUE(survey->partial);
  ASSERT_EQ(survey->warnings.size(), 1U);
  EXPECT_NE(survey->warnings[0].find("was taken from this process"), std::string::npos);
}

}  // namespace
}  // namespace tacho::TEST_FILE

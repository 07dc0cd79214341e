// Sizes that were measured where the sweep is to be.
#include "latency/chase/sweep.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <vector>

#include "latency/chase/machine.hpp"
#include "latency/chase/timer.hpp"

namespace tacho::chase {
namespace {

constexpr auto kGoOn = [] { return false; };

TEST(ChaseSweep, ASizeDuringWhichTheCpuWasTakenIsNotKept) {
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "this process may use one CPU only";
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  ASSERT_TRUE(keep_to(cpus[0]));
  SweepRequest request;
  request.sizes = {4096, 8192, 16384};
  request.most_bytes = request.sizes.back();
  request.huge = false;
  request.cpu = cpus[0];
  const ChosenTimer timer = choose_timer(request.cpu);
  request.timer = timer.timer;
  request.tick_hz = timer.hz;
  request.effort.step = timer.step;
  request.effort.block_times = timer.block_times;
  // Told before each size: the last one is measured on the other CPU, and nobody looks after it.
  int told = 0;
  const auto swept = sweep(request, kGoOn, [&](const SweepProgress& now) {
    if (now.what != "getting memory" && ++told == 3) static_cast<void>(keep_to(cpus[1]));
  });
  ::sched_setaffinity(0, sizeof before, &before);
  ASSERT_TRUE(swept) << swept.error().what;
  EXPECT_EQ(swept->runs.size(), 2U);
  EXPECT_TRUE(swept->partial);
  ASSERT_EQ(swept->warnings.size(), 1U);
  EXPECT_NE(swept->warnings[0].find("was taken from this process"), std::string::npos);
}

}  // namespace
}  // namespace tacho::chase

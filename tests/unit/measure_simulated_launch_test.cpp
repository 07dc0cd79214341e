// Commands that the real simulator runs: what the launch passes on to them, and their time limit.
#include "measure/simulated_launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "measure/measure.hpp"
#include "pmu/choice/make_pmu.hpp"
#include "process/capture/output_capture.hpp"
#include "simulation/simulator_launch.hpp"

namespace tacho::TEST_FILE {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class MeasureSimulatedLaunch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto simulator = find_simulator(); !simulator) GTEST_SKIP() << simulator.error().what;
    auto pmu = make_pmu(*parse_pmu_option("simulated:arm1176"), catalogue_);
    ASSERT_TRUE(pmu.has_value()) << pmu.error().what;
    pmu_ = std::move(*pmu);
    plan_ = make_plan(*pmu_, std::vector<EventGroup>{{*pmu_->resolve("instructions")}}, {});
  }

  Result<Measured> run(MeasureRequest request) {
    const auto supervisor = *Supervisor::create();
    const auto captured = *OutputCapture::start();
    request.launch.output = captured->output();
    request.launch.error = captured->error();
    auto measured = measure(*pmu_, *supervisor, plan_, request, {});
    output_ = captured->finish().tail;
    return measured;
  }

  Catalogue catalogue_;
  std::unique_ptr<Pmu> pmu_;
  Plan plan_;
  std::string output_;  // of the last command
};

TEST_F(MeasureSimulatedLaunch, PassesDirectoryStreamsAndEnvironment) {
  const std::string directory = std::filesystem::canonical(testing::TempDir());
  const auto measured =
      run({.launch = {.argv = {"sh", "-c", "pwd; echo $TACHO_TEST; echo wrong >&2"},
                      .environment = {"TACHO_TEST=1 2"},
                      .directory = directory}});
  ASSERT_TRUE(measured.has_value()) << measured.error().what;
  EXPECT_THAT(output_, HasSubstr(directory + "\n"));
  EXPECT_THAT(output_, HasSubstr("1 2\n"));
  EXPECT_THAT(output_, HasSubstr("wrong\n"));
  EXPECT_GT(measured->whole.always.front(), 0U);
  EXPECT_EQ(measured->whole.workload.directory, directory);
}

TEST_F(MeasureSimulatedLaunch, FindsARelativeCommandInTheDirectory) {
  const auto measured = run({.launch = {.argv = {"bin/true"}, .directory = "/usr"}});
  ASSERT_TRUE(measured.has_value()) << measured.error().what;
  EXPECT_EQ(measured->whole.workload.exit_code, 0);
}

TEST_F(MeasureSimulatedLaunch, ADirectoryThatIsMissingIsAnErrorOfTheCommand) {
  const auto measured = run({.launch = {.argv = {"true"}, .directory = "/no/such"}});
  ASSERT_FALSE(measured.has_value());
  EXPECT_THAT(measured.error().what, HasSubstr("'/no/such'"));
  EXPECT_EQ(measured.error().code, ENOENT);
}

// The limit is real time, though a sleep takes no simulated time.
TEST_F(MeasureSimulatedLaunch, TheLimitIsRealTime) {
  const auto begun = std::chrono::steady_clock::now();
  const auto measured = run({.launch = {.argv = {"sleep", "60"}}, .limit = 2s});
  ASSERT_TRUE(measured.has_value()) << measured.error().what;
  EXPECT_TRUE(measured->whole.workload.timed_out);
  EXPECT_EQ(measured->whole.workload.signal, SIGKILL);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);
}

}  // namespace
}  // namespace tacho::TEST_FILE

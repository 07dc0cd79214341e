// The time limit of a run: the command ends with everything that it started.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>

#include "base/fd.hpp"
#include "base/process_tree.hpp"
#include "measure/measure.hpp"
#include "measure_fake_pmu.hpp"
#include "process/capture/output_capture.hpp"

namespace tacho::TEST_FILE {
namespace {

using namespace std::chrono_literals;

// Whether the process ends within some seconds. A zombie has ended.
bool ends(pid_t pid) {
  for (int i = 0; i < 500; ++i, ::usleep(10'000))
    if (const std::string state = status_value(pid, "State"); state.empty() || state.contains('Z'))
      return true;
  return false;
}

struct Ended {
  Workload workload;
  std::string output;
};

// Runs the script with a limit.
Ended run(const std::string& script, std::chrono::nanoseconds limit = 300ms) {
  const auto supervisor = *Supervisor::create();
  const auto captured = *OutputCapture::start();
  FakePmu pmu;
  const Plan plan = make_plan(pmu, std::vector<EventGroup>{{*pmu.resolve("sw1")}}, {});
  const auto begun = std::chrono::steady_clock::now();
  const auto measured = measure(
      pmu, *supervisor, plan,
      {.launch = {.argv = {"sh", "-c", script}, .output = captured->output()}, .limit = limit}, {});
  EXPECT_TRUE(measured.has_value());
  Ended ended{measured ? measured->whole.workload : Workload(), captured->finish().tail};
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);
  return ended;
}

void expect_killed(const Workload& workload) {
  EXPECT_TRUE(workload.timed_out);
  EXPECT_EQ(workload.signal, SIGKILL);
  EXPECT_GE(workload.elapsed_s, 0.3);
}

TEST(MeasureLimit, EndsACommandThatRunsLonger) {
  expect_killed(run("exec sleep 60").workload);
}

TEST(MeasureLimit, DoesNotTouchACommandThatEndsInTime) {
  const Workload workload = run("exit 3", 1h).workload;
  EXPECT_FALSE(workload.timed_out);
  EXPECT_EQ(workload.signal, std::nullopt);
  EXPECT_EQ(workload.exit_code, 3);
}

TEST(MeasureLimit, EndsACommandThatIgnoresOtherSignals) {
  expect_killed(run("trap '' TERM INT HUP QUIT; while :; do sleep 1; done").workload);
}

TEST(MeasureLimit, EndsACommandThatIsStopped) {
  if (Fd(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)))
    GTEST_SKIP() << "on a terminal tacho stops with its workload";
  expect_killed(run("kill -STOP $$; sleep 60").workload);
}

// It also holds the pipe of the output.
TEST(MeasureLimit, EndsTheChildrenOfTheCommand) {
  for (const char* launcher : {"", "setsid "}) {
    const Ended ended = run(std::string(launcher) + "sleep 60 & echo $!; wait");
    expect_killed(ended.workload);
    const pid_t child = std::atoi(ended.output.c_str());
    ASSERT_GT(child, 0);
    EXPECT_TRUE(ends(child)) << launcher;
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE

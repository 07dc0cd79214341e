// Programs that tacho starts get the limits of tacho's caller.
#include "process/own_limits.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "events_made_up_tree.hpp"
#include "process/run_for_output.hpp"
#include "process/run_with_input.hpp"

namespace tacho::TEST_FILE {
namespace {

// Prints the soft limit of open files, and whether SIGXFSZ is ignored.
const std::string kPrintLimits =
    "ulimit -c 0; ulimit -Sn; sh -c 'kill -XFSZ $$; echo ignored' 2> /dev/null || echo not ignored";

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(OwnSettings, ProgramsThatTachoStartsGetTheLimitsOfItsCaller) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_DFL);
  adjust_own_limits();

  const MadeUpTree tree;
  const std::string printed = tree.path("printed");
  const std::vector<std::string> asks{"sh", "-c", kPrintLimits};
  const std::vector<std::string> feeds{"sh", "-c", "exec > " + printed + "; " + kPrintLimits};
  const auto answer = run_for_output(asks, "", std::chrono::minutes(1), 1000);
  const auto fed = run_with_input(feeds, "");
  rlimit during{};
  ::getrlimit(RLIMIT_NOFILE, &during);
  const auto handled = std::signal(SIGXFSZ, SIG_DFL);

  std::signal(SIGXFSZ, handler);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(answer.value(), "100\nnot ignored\n");
  EXPECT_TRUE(fed.has_value());
  EXPECT_EQ(contents(printed), "100\nnot ignored\n");
  EXPECT_EQ(during.rlim_cur, before.rlim_max) << "and tacho's own limit is raised again";
  EXPECT_EQ(handled, SIG_IGN);
}

}  // namespace
}  // namespace tacho::TEST_FILE

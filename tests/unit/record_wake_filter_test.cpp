// The filter of the kernel that keeps the wake-ups of a recording's threads.
#include "record/wake_filter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

constexpr ThreadNumbers kNumbers{.newest = 100'000, .most = 4'194'304};
constexpr std::size_t kLongest = 4095;  // bytes that Linux reads (PERF_EVENT_IOC_SET_FILTER)

// Whether the filter lets the wake-up of a thread pass, as the kernel would say.
bool passes(std::string filter, pid_t tid) {
  for (std::size_t begin = 0; begin < filter.size();) {
    const std::size_t end = std::min(filter.find("||", begin), filter.size());
    const std::string term = filter.substr(begin, end - begin);
    int first = 0;
    int last = 0;
    if (std::sscanf(term.c_str(), "(pid>=%d&&pid<=%d)", &first, &last) == 2) {
      if (tid >= first && tid <= last) return true;
    } else if (std::sscanf(term.c_str(), "pid>%d", &first) == 1) {
      if (tid > first) return true;
    } else {
      ADD_FAILURE() << term;
    }
    begin = end + 2;
  }
  return false;
}

TEST(WakeFilter, TheThreadsAndAllNewerOnesPass) {
  const std::string filter = wake_filter({300, 77, 78, 5'000}, kNumbers);
  for (const pid_t tid : {77, 78, 300, 5'000, 100'001, 4'000'000})
    EXPECT_TRUE(passes(filter, tid)) << tid << " by " << filter;
  for (const pid_t tid : {0, 1, 76, 79, 299, 301, 4'999, 100'000})
    EXPECT_FALSE(passes(filter, tid)) << tid << " by " << filter;
}

TEST(WakeFilter, ManyThreadsFitIntoWhatTheKernelReads) {
  std::vector<pid_t> tids;
  for (pid_t tid = 90'000; tid > 1; tid -= 1 + tid % 97) tids.push_back(tid);
  const std::string filter = wake_filter(tids, kNumbers);
  EXPECT_LE(filter.size(), kLongest);
  for (const pid_t tid : tids) EXPECT_TRUE(passes(filter, tid)) << tid;
  EXPECT_FALSE(passes(filter, 1));
  EXPECT_FALSE(passes(filter, 95'000));
}

TEST(WakeFilter, OneGroupOfThreadsIsOneRange) {
  std::vector<pid_t> tids;
  for (pid_t tid = 0; tid < 5'000; ++tid) tids.push_back(20'000 + tid);
  const std::string filter = wake_filter(tids, kNumbers);
  EXPECT_TRUE(passes(filter, 20'000));
  EXPECT_TRUE(passes(filter, 24'999));
  EXPECT_FALSE(passes(filter, 19'999));
  EXPECT_FALSE(passes(filter, 25'000));
}

TEST(WakeFilter, NoneWhereTheKernelMayBeginAnewWithSmallNumbers) {
  EXPECT_EQ(wake_filter({77}, {.newest = 3'000, .most = 32'768}), "");
}

}  // namespace
}  // namespace tacho::TEST_FILE

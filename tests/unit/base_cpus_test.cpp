// The kernel's lists of CPUs.
#include "base/cpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(BaseCpus, ReadsListsOfTheKernelAndRefusesOtherText) {
  EXPECT_THAT(parse_cpu_list("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parse_cpu_list("5"), ElementsAre(5));
  for (const char* nonsense : {"", "a", "3-1", "1-", "-1", "0,,1", "0-99999999999", "0-70000"})
    EXPECT_THAT(parse_cpu_list(nonsense), IsEmpty()) << nonsense;
}

}  // namespace
}  // namespace tacho::TEST_FILE

// Tests a child that works step by step.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <csignal>

#include "process/stepped_child.hpp"

namespace tacho::TEST_FILE {
namespace {

// A number that parent and child share.
class Shared {
 public:
  Shared()
      : memory_(static_cast<volatile int*>(::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE,
                                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Shared() { ::munmap(const_cast<int*>(memory_), sizeof(int)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  volatile int& value() { return *memory_; }

 private:
  volatile int* memory_;
};

TEST(ProcessSteppedChild, DoesOneStepAtATime) {
  Shared sum;
  const auto child = SteppedChild::start([&sum](int step) { sum.value() = sum.value() + step; });
  ASSERT_TRUE(child.has_value());
  for (const int expected : {0, 1, 3, 6}) {
    ASSERT_TRUE(child->step().has_value());
    EXPECT_EQ(sum.value(), expected);
  }
}

TEST(ProcessSteppedChild, IsAnErrorIfItHasEnded) {
  const auto child = SteppedChild::start([](int) { ::raise(SIGKILL); });
  ASSERT_TRUE(child.has_value());
  EXPECT_FALSE(child->step().has_value());
  EXPECT_FALSE(child->step().has_value()) << "and no SIGPIPE";
}

TEST(ProcessSteppedChild, TellsHowAChildEnded) {
  EXPECT_TRUE(run_in_child([] {}));
  EXPECT_FALSE(run_in_child([] { ::raise(SIGKILL); }));
}

}  // namespace
}  // namespace tacho::TEST_FILE

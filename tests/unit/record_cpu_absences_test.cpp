// CPUs that go offline and come back while tacho samples every CPU.
#include "record/cpu_absences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tacho::TEST_FILE {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The list has CPUs that no machine has: only the list decides which are online.
class CpuAbsencesTest : public testing::Test {
 protected:
  void list(const std::string& cpus) { std::ofstream(file_) << cpus << "\n"; }
  void TearDown() override { std::filesystem::remove(file_); }

  std::string file_ = testing::TempDir() + "tacho-absences-" + std::to_string(::getpid());
};

TEST_F(CpuAbsencesTest, WarningsHaveTheTimeThatWasNotSampled) {
  list("60000-60002");
  CpuAbsences absences(file_);
  absences.look(1);
  EXPECT_THAT(absences.warnings(1), IsEmpty());
  list("60000,60002");
  absences.look(2);
  list("60000-60003");
  absences.look(3);
  list("60001-60003");
  absences.look(9);
  EXPECT_THAT(absences.warnings(10),
              ElementsAre(AllOf(HasSubstr("CPU 60000 went offline during"),
                                HasSubstr("not sampled for the last 7.0 s of 10.0")),
                          AllOf(HasSubstr("CPU 60001 went offline and came back"),
                                HasSubstr("not sampled for the last 9.0 s of 10.0, whatever ran")),
                          AllOf(HasSubstr("CPU 60003 came online"),
                                HasSubstr("not sampled for the last 8.0 s of 10.0"))));
}

}  // namespace
}  // namespace tacho::TEST_FILE

// Programs whose execution ends the events of the user who counts: fs/exec.c and kernel/cred.c of
// Linux.
#include "process/taken_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;
using testing::Optional;

class TakenEvents : public testing::Test {
 protected:
  TakenEvents() {
    EXPECT_NE(::mkdtemp(directory_.data()), nullptr);
    program_ = directory_ + "/program";
    std::ofstream(program_) << "#!/bin/true\n";
  }
  ~TakenEvents() override { std::filesystem::remove_all(directory_); }
  void mode(mode_t bits) { EXPECT_EQ(::chmod(program_.c_str(), bits), 0); }
  // Gives the file to another user and group; only root can.
  bool give_away() { return ::chown(program_.c_str(), ::geteuid() + 1, ::getegid() + 1) == 0; }

  std::string directory_ = testing::TempDir() + "takenXXXXXX";
  std::string program_;
};

TEST_F(TakenEvents, OrdinaryProgramsKeepTheEvents) {
  mode(0755);
  EXPECT_FALSE(why_events_are_taken(program_));
  EXPECT_FALSE(why_events_are_taken("no-such-program"));
}

TEST_F(TakenEvents, AProgramThatIsSetToItsOwnUserKeepsThem) {
  mode(06755);
  EXPECT_FALSE(why_events_are_taken(program_));
}

TEST_F(TakenEvents, ChangesOfUserAndGroupTakeThem) {
  if (!give_away()) GTEST_SKIP() << "only root can give a file to another user";
  mode(04755);
  EXPECT_THAT(why_events_are_taken(program_), Optional(HasSubstr("is set-user-ID")));
  mode(02755);
  EXPECT_THAT(why_events_are_taken(program_), Optional(HasSubstr("is set-group-ID")));
  mode(02745);  // without the group's x it is no set-group-ID program
  EXPECT_FALSE(why_events_are_taken(program_));
}

TEST(WereTaken, MostOfTheTimeIsMissing) {
  EXPECT_TRUE(were_taken(5e3, {650e6, 1e5}, false));
  EXPECT_TRUE(were_taken(100e6, {250e6, 1e5}, false));
  EXPECT_FALSE(were_taken(249e6, {250e6, 1e5}, false));
  EXPECT_FALSE(were_taken(67e6, {100e6, 1e5}, false)) << "a program that only forks";
}

TEST(WereTaken, AShortProgramIsJudgedOnlyIfItsFileShowsTheReason) {
  EXPECT_FALSE(were_taken(5e3, {2e6, 1e5}, false));
  EXPECT_TRUE(were_taken(5e3, {2e6, 1e5}, true));
  EXPECT_FALSE(were_taken(1e6, {2e6, 1e5}, true))
      << "the kernel did not take them: fs.suid_dumpable is 1";
}

TEST(WereTaken, OnASlowProcessorTheLaunchTakesMostOfAShortProgram) {
  EXPECT_FALSE(were_taken(15e6, {35e6, 8e6}, false));
  EXPECT_FALSE(missed_time_warning(15e6, {35e6, 8e6}));
  EXPECT_TRUE(were_taken(15e6, {800e6, 8e6}, false));
  EXPECT_TRUE(missed_time_warning(700e6, {800e6, 8e6}));
}

}  // namespace
}  // namespace tacho::TEST_FILE

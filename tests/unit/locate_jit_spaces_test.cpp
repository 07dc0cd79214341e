#include "locate/jit_spaces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <string>

#include "events_made_up_tree.hpp"
#include "symbols_made_up_jit_dump.hpp"

namespace tacho::TEST_FILE {
namespace {

using symbols::MadeUpJitDump;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int32_t kPid = 5;
const std::string kCode(0x40, '\xc3');

class LocateJitSpaces : public testing::Test {
 protected:
  LocateJitSpaces() { recording_.events.emplace_back().clock = CLOCK_MONOTONIC; }

  void map(std::int32_t pid = kPid, const std::string& name = "jit-5.dump") {
    perfdata::Mapping mapping;
    mapping.pid = mapping.tid = pid;
    mapping.path = tree_.path(name);
    jit_.add(mapping, recording_, {}, spaces_);
  }
  void write(const std::string& name = "jit-5.dump") { tree_.write(name, file_.bytes()); }
  std::string name_at(std::uint64_t time, std::uint64_t address, std::int32_t pid = kPid) {
    const auto place = jit_.find(pid, time, address);
    if (!place) return "";
    const Module& module = spaces_.modules()[place->module];
    EXPECT_EQ(module.kind, ModuleKind::jitdump);
    const symbols::JitFunction* function = module.dump->at(place->offset);
    return function == nullptr ? "no code" : function->name;
  }

  MadeUpTree tree_;
  MadeUpJitDump file_;
  perfdata::Description recording_;
  AddressSpaces spaces_;
  JitSpaces jit_;
};

TEST_F(LocateJitSpaces, TheCodeThatHeldAtTheTimeIsFound) {
  file_.load(10, 0x7000, "first", kCode, 1);
  file_.load(20, 0x7000, "second", kCode, 2);
  file_.load(30, 0x7020, "third", kCode, 3);  // over the second half of the second one
  file_.move(40, 0x7020, 0x9000, kCode.size(), 3);
  file_.close(50);
  write();
  map();
  EXPECT_EQ(name_at(12, 0x7000), "first");
  EXPECT_EQ(name_at(19, 0x703f), "first");
  EXPECT_EQ(name_at(20, 0x703f), "second");
  EXPECT_EQ(name_at(30, 0x703f), "third");
  EXPECT_EQ(name_at(30, 0x701f), "second");
  EXPECT_EQ(name_at(39, 0x705f), "third");
  EXPECT_EQ(name_at(39, 0x7060), "");
  EXPECT_EQ(name_at(40, 0x705f), "") << "it moved away";
  EXPECT_EQ(name_at(40, 0x9001), "third");
  EXPECT_EQ(name_at(40, 0x9001, 6), "") << "another process";
  EXPECT_THAT(jit_.warnings(), IsEmpty());
}

// Java describes its code some milliseconds after its first run.
TEST_F(LocateJitSpaces, CodeThatIsDescribedLaterHoldsWhereThereWasNone) {
  file_.load(10, 0x7000, "first", kCode, 1);
  file_.load(20, 0x7000, "second", kCode, 2);
  write();
  map();
  EXPECT_EQ(name_at(5, 0x7000), "first");
  EXPECT_EQ(name_at(25, 0x7000), "second");
}

TEST_F(LocateJitSpaces, WithTimesOfAnotherClockTheLastOneHolds) {
  file_.load(10, 0x7000, "first", kCode, 1);
  file_.load(20, 0x7000, "second", kCode, 2);
  write();
  recording_.events.front().clock.reset();
  map();
  EXPECT_EQ(name_at(5, 0x7000), "second");
}

TEST_F(LocateJitSpaces, AForkKeepsTheCodeAndAnExecRemovesIt) {
  file_.load(10, 0x7000, "first", kCode, 1);
  file_.load(30, 0x7000, "second", kCode, 2);
  write();
  map();
  perfdata::Fork fork;
  fork.pid = fork.tid = 6;
  fork.parent_pid = fork.parent_tid = kPid;
  jit_.add(fork);
  EXPECT_EQ(name_at(20, 0x7000, 6), "first");
  EXPECT_EQ(name_at(30, 0x7000), "second");
  perfdata::Command exec;
  exec.pid = exec.tid = 6;
  exec.exec = true;
  jit_.add(exec);
  EXPECT_EQ(name_at(40, 0x7000, 6), "");
  EXPECT_EQ(name_at(40, 0x7000), "second");
}

TEST_F(LocateJitSpaces, OnlyAFileOfTheProcessThatIsRegularIsRead) {
  file_.load(10, 0x7000, "first", kCode, 1);
  write("jit-7.dump");  // its header says process 5
  map(7, "jit-7.dump");
  ASSERT_EQ(::symlink(tree_.path("jit-7.dump").c_str(), tree_.path("jit-5.dump").c_str()), 0);
  map();
  ASSERT_EQ(::mkfifo(tree_.path("jit-8.dump").c_str(), 0600), 0);
  map(8, "jit-8.dump");
  map(9, "jit-9.dump");
  map(9, "jit-x.dump");
  map(9, "jit-9.dump.gz");
  EXPECT_TRUE(jit_.empty());
  EXPECT_THAT(jit_.warnings(),
              ElementsAre(HasSubstr("of process 5"), HasSubstr("symbolic link"),
                          HasSubstr("not a regular file"), HasSubstr("No such file")));
}

// A container's process has a number of its own, after which its file is named.
TEST_F(LocateJitSpaces, TheFileMayHaveTheNumberOfAContainer) {
  file_.load(10, 0x7000, "first", kCode, 1);
  write();
  map(4711);
  EXPECT_EQ(name_at(10, 0x7000, 4711), "first");
}

TEST_F(LocateJitSpaces, AFileOfAnotherMachineIsNotUsed) {
  file_.load(10, 0x7000, "first", kCode, 1);
  write();
  recording_.host = "elsewhere.example";
  map();
  EXPECT_TRUE(jit_.empty());
  EXPECT_THAT(jit_.warnings(), ElementsAre(HasSubstr("--symfs")));
}

}  // namespace
}  // namespace tacho::TEST_FILE

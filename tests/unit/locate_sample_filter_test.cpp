// Which samples a choice lets through, and what it says if there are none.
#include "locate/sample_filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "locate_made_up_records.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Records the addresses of the samples that pass.
struct Passed {
  SampleFilter filter{SampleChoice()};
  std::vector<std::uint64_t> ips;
  int starts = 0;
  void add(const perfdata::Record& record, const perfdata::Description& recording) {
    const bool kept = filter.keeps(record, recording);
    if (const auto* sample = std::get_if<perfdata::Sample>(&record.what); sample && kept)
      ips.push_back(*sample->ip);
    if (std::holds_alternative<perfdata::Fork>(record.what) && kept) ++starts;
  }
};

// Process 5 is a shell, which starts process 6; that becomes "cc1". Each sample has an address of
// its own.
MadeUpRecords<Passed> recorded(SampleChoice choice) {
  MadeUpRecords<Passed> records;
  records.kept.filter = SampleFilter(std::move(choice));
  const auto sample = [&](std::int32_t pid, std::int32_t tid, std::uint64_t ip, std::uint32_t cpu) {
    perfdata::Sample made;
    made.ip = ip;
    made.pid = pid;
    made.tid = tid;
    made.cpu = cpu;
    made.mode = perfdata::Mode::user;
    records.add(made);
  };
  records.exec(5, "sh");
  records.map(5, 0x1000, 0x1000, "/bin/sh");
  sample(5, 5, 0x1001, 0);  // at 3 ns
  records.fork(5, 6);
  sample(6, 6, 0x1002, 1);  // at 5 ns, still as the shell
  records.exec(6, "cc1");
  records.map(6, 0x2000, 0x1000, "/usr/lib/cc1");
  records.map(6, 0x5000, 0x1000, "/lib/libc.so.6");
  sample(6, 6, 0x2001, 1);  // at 9 ns
  sample(6, 7, 0x5001, 2);  // at 10 ns, of a thread without a name
  return records;
}

std::vector<std::uint64_t> passed(SampleChoice choice) {
  return recorded(std::move(choice)).kept.ips;
}

TEST(SampleFilter, LetsEverythingThroughWithoutAChoice) {
  EXPECT_THAT(passed({}), ElementsAre(0x1001, 0x1002, 0x2001, 0x5001));
  EXPECT_FALSE(recorded({}).kept.filter.chosen());
}

// A thread has the name of its parent until it executes a program.
TEST(SampleFilter, CommandsAreNamesAtTheTimeOfTheSample) {
  EXPECT_THAT(passed({.commands = {"sh"}}), ElementsAre(0x1001, 0x1002));
  EXPECT_THAT(passed({.commands = {"cc1"}}), ElementsAre(0x2001));
  EXPECT_THAT(passed({.commands = {"cc1", "sh"}}), ElementsAre(0x1001, 0x1002, 0x2001));
}

TEST(SampleFilter, EachAspectHasToFit) {
  EXPECT_THAT(passed({.processes = {6}}), ElementsAre(0x1002, 0x2001, 0x5001));
  EXPECT_THAT(passed({.threads = {7}}), ElementsAre(0x5001));
  EXPECT_THAT(passed({.modules = {"libc.so.6"}}), ElementsAre(0x5001));
  EXPECT_THAT(passed({.modules = {"/bin/sh", "cc1"}}), ElementsAre(0x1001, 0x1002, 0x2001));
  EXPECT_THAT(passed({.cpus = {0, 2}}), ElementsAre(0x1001, 0x5001));
  EXPECT_THAT(passed({.times = {{.from_ns = 5, .to_ns = 9}}}), ElementsAre(0x1002, 0x2001));
  EXPECT_THAT(passed({.processes = {6}, .cpus = {1}, .times = {{.from_ns = 6}}}),
              ElementsAre(0x2001));
}

// Otherwise the beginnings of other threads would count as what could not be sampled.
TEST(SampleFilter, BeginningsOfOtherThreadsAreLeftOut) {
  EXPECT_EQ(recorded({}).kept.starts, 1);
  EXPECT_EQ(recorded({.processes = {6}}).kept.starts, 1);
  EXPECT_EQ(recorded({.processes = {5}}).kept.starts, 0);
  EXPECT_EQ(recorded({.commands = {"cc1"}}).kept.starts, 0);
  EXPECT_EQ(recorded({.times = {{.from_ns = 6}}}).kept.starts, 0);
}

TEST(SampleFilter, SaysWhatSharesAreOf) {
  const auto chosen = recorded({.commands = {"sh", "cc1"}, .cpus = {0, 1, 2}}).kept.filter.chosen();
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->words, "commands sh, cc1; CPUs 0-2");
  EXPECT_EQ(chosen->samples, 3U);
  EXPECT_EQ(chosen->all, 4U);
}

TEST(SampleFilter, NamesWhatThereIsIfNothingPasses) {
  const auto error_of = [](SampleChoice choice) {
    const auto checked = recorded(std::move(choice)).kept.filter.check();
    return checked ? std::string("no error") : checked.error().what + "; " + checked.error().remedy;
  };
  EXPECT_EQ(
      error_of({.commands = {"cc2"}}),
      "none of 4 samples is of command cc2; there are samples of sh: 2, cc1: 1, [no name]: 1");
  EXPECT_THAT(error_of({.processes = {9}}),
              HasSubstr("there are samples of 6 (cc1): 3, 5 (sh): 1"));
  EXPECT_THAT(error_of({.modules = {"x"}}), HasSubstr("/bin/sh: 2"));
  EXPECT_THAT(error_of({.cpus = {3}}), HasSubstr("CPU 1: 2"));
  EXPECT_THAT(error_of({.times = {{.from_ns = 99}}, .time_text = "x"}),
              HasSubstr("the samples are from 0.000000003 to 0.000000010 s"));
  EXPECT_THAT(error_of({.commands = {"sh"}, .cpus = {2}}),
              HasSubstr("each is there, but not together: --comm has 2, --cpu has 1"));
  EXPECT_EQ(error_of({.commands = {"sh"}}), "no error");
}

}  // namespace
}  // namespace tacho::TEST_FILE

// What a recording is of, from the words of the recorder.
#include "locate/recorded_target.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

RecordedTarget target_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return recorded_target(words, [](std::int32_t id) {
    return id == 12 ? std::string("make") : id == 13 ? std::string("cc1") : std::string();
  });
}

std::string title_of(const std::string& line) {
  return target_of(line).title();
}

TEST(RecordedTarget, ALaunchedCommandNamesTheRecording) {
  EXPECT_EQ(title_of("tacho record -g -- ./app -p 12"), "./app -p 12");
  EXPECT_EQ(title_of("/usr/bin/perf record -F 99 -g ./app -a"), "./app -a");
  EXPECT_EQ(title_of("perf record -e cycles --call-graph dwarf ./app"), "./app");
  EXPECT_EQ(target_of("tacho record -- ./app").attached, "");
}

TEST(RecordedTarget, AnAttachedRecorderNamesWhatItIsAttachedTo) {
  EXPECT_EQ(title_of("tacho record --wall -p 12 -- sleep 3"), "make (pid 12)");
  EXPECT_EQ(title_of("perf record --pid=12 sleep 3"), "make (pid 12)");
  EXPECT_EQ(title_of("tacho record -gp12"), "make (pid 12)");
  EXPECT_EQ(title_of("tacho record -p 12,13 -o a.data"), "make (pid 12), cc1 (pid 13)");
  EXPECT_EQ(title_of("tacho record -t 13 -- sleep 3"), "cc1 (tid 13)");
  EXPECT_EQ(title_of("perf record -agF 99 -- sleep 3"), "all CPUs");
  EXPECT_EQ(title_of("tacho record -C 0-3 -- sleep 3"), "CPUs 0-3");
  EXPECT_EQ(title_of("perf record -a -G web -- sleep 3"), "control group web");
  EXPECT_EQ(title_of("tacho record --container db -- sleep 3"), "container db");
  EXPECT_EQ(target_of("tacho record -p 12 -- sleep 3").command, "sleep 3");
}

TEST(RecordedTarget, AllOfSeveralListsAreNamed) {
  EXPECT_EQ(title_of("tacho record -p 12 --pid=13"), "make (pid 12), cc1 (pid 13)");
  const std::vector<std::string> words{"tacho", "record", "-p", "12, 13"};
  EXPECT_EQ(recorded_target(words).title(), "processes 12, 13");
}

TEST(RecordedTarget, OptionsOfPerfMayBeShorter) {
  EXPECT_EQ(title_of("perf record --pi 12 --call dwarf sleep 3"), "make (pid 12)");
  EXPECT_EQ(title_of("perf record --vmlinux /boot/vmlinux ./app"), "./app");
}

TEST(RecordedTarget, ProcessesWithoutNamesAreNumbers) {
  EXPECT_EQ(title_of("tacho record -p 77"), "process 77");
  EXPECT_EQ(title_of("tacho record -t 77,12"), "threads 77, 12");
  EXPECT_EQ(title_of("tacho record -p 1,2,3,4,5"), "5 processes");
}

TEST(RecordedTarget, OtherWordsAreACommand) {
  EXPECT_EQ(title_of(""), "a recording");
  EXPECT_EQ(title_of("recorder --fast -- ./app"), "./app");
  EXPECT_EQ(title_of("perf mem record -t load ./app"), "./app");
}

}  // namespace
}  // namespace tacho::TEST_FILE

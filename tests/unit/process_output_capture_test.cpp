// Takes the output of commands: its end, its length and its digest.
#include "process/capture/output_capture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

#include "base/file.hpp"
#include "process/supervisor.hpp"

namespace tacho::TEST_FILE {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

CapturedOutput capture(const std::string& script) {
  const auto supervisor = *Supervisor::create();
  const auto captured = *OutputCapture::start();
  EXPECT_TRUE(supervisor->prepare(
      {.argv = {"sh", "-c", script}, .output = captured->output(), .error = captured->error()}));
  EXPECT_TRUE(supervisor->release());
  while (supervisor->wait({}) != Wake::ended) {
  }
  return captured->finish();
}

TEST(ProcessOutputDigest, DependsOnTheBytesAndNotOnThePieces) {
  std::string text(1000, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i);
  OutputDigest whole;
  whole.add(text);
  for (const std::size_t length : {1U, 3U, 8U, 13U, 64U}) {
    OutputDigest pieces;
    for (std::size_t at = 0; at < text.size(); at += length) pieces.add(text.substr(at, length));
    EXPECT_EQ(pieces.value(), whole.value()) << length;
    EXPECT_EQ(pieces.bytes(), 1000U);
  }
}

TEST(ProcessOutputDigest, DiffersIfOneByteDiffers) {
  const auto digest = [](std::string_view text) {
    OutputDigest made;
    made.add(text);
    return made.value();
  };
  const std::string zeros(24, '\0');
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    std::string other = zeros;
    other[i] = 1;
    EXPECT_NE(digest(other), digest(zeros)) << i;
    EXPECT_NE(digest(zeros.substr(0, i)), digest(zeros)) << i;
  }
}

TEST(ProcessOutputCapture, EqualOutputsHaveEqualDigests) {
  const CapturedOutput once = capture("seq 1000");
  const CapturedOutput slowly = capture("seq 500; sleep 0.05; seq 501 1000; echo noise >&2");
  EXPECT_EQ(once.bytes, 3893U);
  EXPECT_EQ(slowly.bytes, once.bytes) << "standard error does not count";
  EXPECT_EQ(slowly.digest, once.digest);
  EXPECT_NE(capture("seq 999; echo 1001").digest, once.digest);
}

TEST(ProcessOutputCapture, TheTailHasBothStreams) {
  const CapturedOutput taken =
      capture("echo first; sleep 0.1; echo wrong >&2; sleep 0.1; echo last");
  EXPECT_EQ(taken.tail, "first\nwrong\nlast\n");
}

TEST(ProcessOutputCapture, TheTailOfALargeOutputIsItsEnd) {
  const CapturedOutput taken = capture("seq 100000");
  EXPECT_EQ(taken.tail.size(), CapturedOutput::kMostTail);
  EXPECT_THAT(taken.tail, EndsWith("99999\n100000\n"));
}

// A pipe that nobody reads would stop the command.
TEST(ProcessOutputCapture, TakesAGigabyteInSeconds) {
  const auto begun = std::chrono::steady_clock::now();
  const CapturedOutput taken = capture("head -c 1000000000 /dev/zero");
  EXPECT_EQ(taken.bytes, 1'000'000'000U);
  EXPECT_EQ(taken.tail.size(), CapturedOutput::kMostTail);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
}

TEST(ProcessOutputCapture, DoesNotWaitForADaemonThatKeepsThePipes) {
  const auto begun = std::chrono::steady_clock::now();
  const CapturedOutput taken = capture("sleep 60 & echo $!");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
  const pid_t daemon = std::atoi(taken.tail.c_str());
  ASSERT_GT(daemon, 0);
  EXPECT_EQ(::kill(daemon, SIGKILL), 0) << "it still ran";
}

TEST(ProcessOutputCapture, DoesNotWaitForADaemonThatPrintsForEver) {
  const CapturedOutput taken = capture("yes & sleep 0.1");
  EXPECT_THAT(taken.tail, HasSubstr("y\ny\n"));  // it may end within a line
}

// It neither gets SIGPIPE nor waits for ever.
TEST(ProcessOutputCapture, ADaemonMayGoOnToWrite) {
  std::string mark = testing::TempDir() + "tacho-daemon-XXXXXX";
  ASSERT_TRUE(Fd(::mkstemp(mark.data())));
  capture("{ sleep 0.3; seq 100000 2>/dev/null; echo $? >" + mark + "; } &");
  std::string status;
  for (int i = 0; i < 500 && status.empty(); ++i) {
    ::usleep(20'000);
    status = first_line(mark);
  }
  ::unlink(mark.c_str());
  EXPECT_EQ(status, "1") << "seq reports that it could not write; 141 is SIGPIPE";
}

}  // namespace
}  // namespace tacho::TEST_FILE

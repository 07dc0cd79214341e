// What the launch of a command passes on to it: directory, streams, environment and addresses.
#include "process/launch.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/personality.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/file.hpp"
#include "process/supervisor.hpp"

namespace tacho::TEST_FILE {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ProcessLaunch : public ::testing::Test {
 protected:
  ProcessLaunch() {
    std::string path = testing::TempDir() + "tacho-launch-XXXXXX";
    scratch_ = std::filesystem::canonical(::mkdtemp(path.data()));
  }
  ~ProcessLaunch() override { std::filesystem::remove_all(scratch_); }

  std::string path(const std::string& name) const { return scratch_ / name; }

  Fd open_for(const std::string& name, int flags) const {
    return Fd(::open(path(name).c_str(), flags | O_CLOEXEC, 0600));
  }

  // Runs the command to its end.
  static Result<int> run(const Launch& launch) {
    const auto supervisor = TACHO_TRY(Supervisor::create());
    TACHO_TRY(supervisor->prepare(launch));
    TACHO_TRY(supervisor->release());
    while (supervisor->wait({}) != Wake::ended) {
    }
    return supervisor->ending().exit_code;
  }

  // Returns the standard output of the command.
  std::string output_of(Launch launch) const {
    const Fd file = open_for("output", O_RDWR | O_CREAT | O_TRUNC);
    launch.output = file.get();
    const auto status = run(launch);
    EXPECT_EQ(status.value_or(-1), 0) << (status ? "" : status.error().what);
    return read_file(path("output")).value_or("");
  }

  void write_program(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  }

  std::filesystem::path scratch_;
};

TEST_F(ProcessLaunch, RunsInTheDirectory) {
  EXPECT_EQ(output_of({.argv = {"pwd"}, .directory = scratch_}), scratch_.string() + "\n");
}

TEST_F(ProcessLaunch, FindsARelativeCommandInTheDirectory) {
  write_program("here", "#!/bin/sh\necho found\n");
  const Launch launch{.argv = {"./here"}, .directory = scratch_};
  EXPECT_EQ(output_of(launch), "found\n");
  EXPECT_TRUE(can_run(launch).has_value());
  EXPECT_EQ(can_run({.argv = {"./here"}}).error().code, ENOENT) << "it is not in tacho's directory";
}

TEST_F(ProcessLaunch, TheRemedyNamesTheFileInTheDirectory) {
  write_program("only-here", "#!/bin/sh\n");
  EXPECT_THAT(run({.argv = {"only-here"}, .directory = scratch_}).error().remedy,
              HasSubstr("'./only-here'"));
}

TEST_F(ProcessLaunch, ADirectoryThatCannotBeEnteredIsAnError) {
  std::ofstream(path("file")) << "";
  for (const auto& [name, code, cause] : {std::tuple("missing", ENOENT, "ENOENT"),  //
                                          std::tuple("file", ENOTDIR, "ENOTDIR")}) {
    const Launch launch{.argv = {"true"}, .directory = path(name)};
    for (const Error& error : {run(launch).error(), can_run(launch).error()}) {
      EXPECT_THAT(error.what,
                  AllOf(HasSubstr("working directory '" + path(name)), HasSubstr(cause)));
      EXPECT_FALSE(error.remedy.empty());
      EXPECT_EQ(error.code, code);
    }
  }
}

TEST_F(ProcessLaunch, GivesEachStream) {
  std::ofstream(path("input")) << "from the file\n";
  const Fd input = open_for("input", O_RDONLY);
  const Fd error = open_for("error", O_RDWR | O_CREAT);
  EXPECT_EQ(output_of({.argv = {"sh", "-c", "cat; echo wrong >&2"},
                       .input = input.get(),
                       .error = error.get()}),
            "from the file\n");
  EXPECT_EQ(*read_file(path("error")), "wrong\n");
  EXPECT_GE(::fcntl(input.get(), F_GETFD), 0) << "the caller still owns it";
}

TEST_F(ProcessLaunch, StreamsMayBeThoseOfTachoInAnotherOrder) {
  const Fd saved(::dup(STDERR_FILENO));
  const Fd error = open_for("error", O_RDWR | O_CREAT);
  ::dup2(error.get(), STDERR_FILENO);
  const auto status =
      run({.argv = {"sh", "-c", "echo text"}, .output = STDERR_FILENO, .error = STDOUT_FILENO});
  ::dup2(saved.get(), STDERR_FILENO);
  EXPECT_EQ(status.value_or(-1), 0);
  EXPECT_EQ(*read_file(path("error")), "text\n");
}

TEST_F(ProcessLaunch, TheCommandInheritsOnlyItsStreams) {
  const Fd input = open_for("input", O_RDWR | O_CREAT);
  const std::string with = output_of({.argv = {"ls", "/proc/self/fd"}, .input = input.get()});
  EXPECT_EQ(with, output_of({.argv = {"ls", "/proc/self/fd"}}));
}

TEST_F(ProcessLaunch, AClosedDescriptorIsAnErrorOfTacho) {
  const auto status = run({.argv = {"true"}, .output = 1 << 20});
  ASSERT_FALSE(status.has_value());
  EXPECT_THAT(status.error().what, HasSubstr("a standard stream cannot be set"));
  EXPECT_EQ(status.error().code, 0) << "the command is there";
}

TEST_F(ProcessLaunch, AddsToTheEnvironment) {
  EXPECT_THAT(output_of({.argv = {"env"}, .environment = {"TACHO_TEST=1 2", "HOME=/moved"}}),
              AllOf(HasSubstr("TACHO_TEST=1 2\n"), HasSubstr("HOME=/moved\n"), HasSubstr("PATH=")));
}

TEST_F(ProcessLaunch, FixesTheAddresses) {
  const int now = ::personality(0xffffffff);
  if (now < 0 || ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) < 0)
    GTEST_SKIP() << "a sandbox forbids personality(2)";
  ::personality(static_cast<unsigned long>(now));
  if ((now & ADDR_NO_RANDOMIZE) != 0) GTEST_SKIP() << "all addresses are fixed already";
  const Launch varying{.argv = {"grep", "stack", "/proc/self/maps"}};
  Launch fixed = varying;
  fixed.fixed_addresses = true;
  const std::string first = output_of(fixed);
  EXPECT_THAT(first, HasSubstr("[stack]"));
  EXPECT_EQ(output_of(fixed), first);
  EXPECT_NE(output_of(varying), output_of(varying)) << "and only if this is asked for";
}

TEST_F(ProcessLaunch, AProgramThatRunsTheCommandGetsAllElse) {
  const Launch launch{.argv = {"work"},
                      .environment = {"A=1"},
                      .directory = "/",
                      .input = 7,
                      .fixed_addresses = true};
  const Launch made = run_by(launch, {"simulator", "work"}, {"B=2"});
  EXPECT_THAT(made.argv, testing::ElementsAre("simulator", "work"));
  EXPECT_THAT(made.environment, testing::ElementsAre("B=2", "A=1"));
  EXPECT_EQ(made.directory, "/");
  EXPECT_EQ(made.input, 7);
  EXPECT_FALSE(made.fixed_addresses);
}

}  // namespace
}  // namespace tacho::TEST_FILE

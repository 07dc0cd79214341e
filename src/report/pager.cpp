#include "report/pager.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/privileges.hpp"
#include "base/program_files.hpp"
#include "base/safe_text.hpp"
#include "process/own_limits.hpp"
#include "report/output.hpp"
#include "report/terminal.hpp"

namespace tacho {
namespace {

constexpr std::string_view kDefaultPager = "less -RF";

std::string chosen_pager() {
  const char* pager = has_privileges() ? nullptr : std::getenv("PAGER");
  return std::string(pager == nullptr ? kDefaultPager : std::string_view(pager));
}

// Runs the pager in a shell, because PAGER may contain options. Returns whether it could be run.
bool paged(std::string command, std::string_view text) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, read_end.get(), STDIN_FILENO);
  std::string shell = "sh";
  std::string option = "-c";
  char* words[] = {shell.data(), option.data(), command.data(), nullptr};
  pid_t child = -1;
  HelperEnvironment environment;
  std::optional<RestoredLimits> as_before(std::in_place);
  const int failed =
      ::posix_spawn(&child, "/bin/sh", &actions, nullptr, words, environment.variables());
  as_before.reset();
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  read_end.reset();
  // A user who leaves the pager early closes the pipe. The terminal's keys are for the pager: if
  // they ended tacho, the shell and the pager would both read the keyboard.
  constexpr std::array kNotForTacho = {SIGPIPE, SIGINT, SIGQUIT};
  std::array<decltype(SIG_DFL), kNotForTacho.size()> before{};
  std::ranges::transform(kNotForTacho, before.begin(),
                         [](int signal) { return std::signal(signal, SIG_IGN); });
  std::ignore = write_all(write_end.get(), text, "the pager");
  write_end.reset();
  siginfo_t end{};
  while (::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED) < 0 && errno == EINTR) continue;
  for (std::size_t i = 0; i < before.size(); ++i)
    static_cast<void>(std::signal(kNotForTacho[i], before[i]));
  constexpr int kNotFound = 127;
  return end.si_code != CLD_EXITED || end.si_status != kNotFound;
}

}  // namespace

Result<void> show(std::string_view text) {
  const std::string pager = chosen_pager();
  const bool pages = ::isatty(STDOUT_FILENO) == 1 && !pager.empty() && pager != "cat";
  const std::string lines =
      printable_lines(text, shows_colour() ? Colours::kept : Colours::removed);
  if (pages && paged(pager, lines)) return {};
  return Output::to_stdout().write_bytes(lines);
}

}  // namespace tacho

// process: launching, signalling and reaping a workload. The Supervisor stands between it and the
// user: passes signals on, minds the terminal, and sleeps until something is due or it has ended.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "process/command.hpp"

namespace tacho {

// How the workload ended, and what it used: itself and the children it waited for (wait4(2)).
struct Ending {
  int exit_code = 0;
  std::optional<int> signal;  // that killed it; exit_code is then 128 + signal
  bool has_usage = false;     // false when tacho only watched
  double user_s = 0;
  double system_s = 0;
  std::uint64_t max_rss_bytes = 0;
  double stopped_s = 0;  // since its launch, as by Ctrl-Z
};

enum class Wake { deadline, ready, ended };

// Blocks the signals that it passes on (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2,
// SIGTSTP, SIGCONT), SIGCHLD, and ignores SIGPIPE, for as long as it lives. One at a
// time, in one thread.
//
// A workload that is launched from a terminal's foreground stays in tacho's process group: the
// terminal's own signals reach it without help, and it can read the terminal. Otherwise it gets a
// group of its own, and what tacho is sent goes to that whole group, so that nothing is left
// running. When the workload stops, tacho stops with it, and goes on when the shell says so.
class Supervisor {
 public:
  using Clock = std::chrono::steady_clock;

  static Result<std::unique_ptr<Supervisor>> create();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor();

  // Launches a command, stopped before its exec, with these NAME=VALUEs added to the environment.
  Result<void> prepare(std::span<const std::string> argv,
                       std::span<const std::string> environment = {});
  Result<void> release();
  pid_t pid() const { return command_ ? command_->pid() : -1; }

  // Watches a process that runs already; it ends when the process does, or at a signal to tacho.
  Result<void> watch(pid_t pid);

  // Sleeps until the deadline, or for as long as it takes; or until `descriptor` can be read, where
  // one is given. Without a workload only a signal ends it.
  Wake wait(std::optional<Clock::time_point> deadline, int descriptor = -1);

  const Ending& ending() const { return ending_; }
  // Whether the user has sent tacho a signal to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT).
  bool interrupted() const { return interrupted_by_.has_value(); }
  std::optional<int> interrupted_by() const { return interrupted_by_; }  // the first of them

 private:
  Supervisor() = default;

  bool take_signals();
  bool reap();
  void pass_on(int signal, bool from_terminal);
  void take_early_stop();
  void stop_with_workload(int signal);
  void went_on();
  void stop_with(int signal);
  void lend_terminal();
  bool give_foreground(pid_t group);

  SignalState before_{};
  Fd signals_;
  Fd terminal_;  // /dev/tty, when there is one
  Fd watched_;   // pidfd of a process that was not launched
  std::optional<Command> command_;
  bool own_group_ = false;
  bool lent_ = false;  // the terminal's foreground was given to the workload's group
  std::optional<Clock::time_point> stopped_since_;  // the workload
  std::optional<int> interrupted_by_;
  Ending ending_;
};

}  // namespace tacho

// process: launches, signals and reaps a workload. The Supervisor passes the user's signals on,
// gives the workload the terminal, and sleeps until a deadline or until the workload has ended.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "process/command.hpp"
#include "process/launch.hpp"
#include "process/taken_events.hpp"

namespace tacho {

// How the workload ended, and the resources of the workload and the children it waited for
// (wait4(2)).
struct Ending {
  int exit_code = 0;
  std::optional<int> signal;  // the signal that ended it; exit_code is then 128 + signal
  bool has_usage = false;     // false if tacho only watched a process
  double user_s = 0;
  double system_s = 0;
  double launch_s = 0;  // the CPU time before its program began, or a little more
  std::uint64_t max_rss_bytes = 0;
  double stopped_s = 0;               // time for which it was stopped, for example by Ctrl-Z
  bool asked_to_end = false;          // tacho sent it SIGTERM, because the user had asked for that
  std::optional<Error> unknown = {};  // why the rest is not known: the kernel did not tell
};

// For were_taken(). Only if `has_usage`.
CommandTime cpu_time(const Ending& ending);

enum class Wake { deadline, ready, ended };

// While it exists, it blocks SIGCHLD and the signals that it passes on (SIGINT, SIGTERM, SIGHUP,
// SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT), and ignores SIGPIPE. Only one may exist at a time,
// and one thread uses it.
//
// A workload launched from a terminal's foreground stays in tacho's process group: it gets the
// terminal's signals directly, and it can read the terminal. Otherwise it has a group of its own,
// and every signal to tacho goes to this whole group, so no process is left running. If the
// workload stops, tacho stops too, until the shell continues it.
class Supervisor {
 public:
  using Clock = std::chrono::steady_clock;

  static Result<std::unique_ptr<Supervisor>> create();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor();

  // Starts a process that waits before its exec of the command.
  Result<void> prepare(const Launch& launch);
  Result<void> release();
  // Asks the workload to end (SIGTERM), as `kill` of tacho would. Without a workload, it does
  // nothing.
  void terminate();
  // Ends the workload and everything that it started with SIGKILL: its processes, and its process
  // group if it has one of its own. A daemon that init has adopted lives on. Returns false if no
  // workload runs. wait() then sees the end.
  bool kill();
  pid_t pid() const { return command_ ? command_->pid() : -1; }

  // Watches a running process, until the process ends or tacho gets a signal. Called several times:
  // until all of them have ended.
  Result<void> watch(pid_t pid);
  // The same for a thread. Before Linux 6.9, until its process ends.
  Result<void> watch_thread(pid_t tid);

  // Sleeps until the workload ends, until the deadline (if any), or until a descriptor is readable.
  // There are at most two, and -1 is none. Without a workload, a signal to tacho is the end.
  Wake wait(std::optional<Clock::time_point> deadline, std::initializer_list<int> descriptors = {});

  const Ending& ending() const { return ending_; }
  // True if tacho got a signal to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT).
  bool interrupted() const { return interrupted_by_.has_value(); }
  std::optional<int> interrupted_by() const { return interrupted_by_; }  // the first of them

 private:
  Supervisor() = default;

  bool has_ended() const { return ending_.has_usage || ending_.unknown; }
  bool take_signals(bool some);
  bool reap();
  bool lose_sight(int code);
  void pass_on(int signal, bool from_terminal);
  void take_early_stop();
  void stop_with_workload(int signal);
  void went_on();
  void stop_with(int signal);
  void lend_terminal();
  bool give_foreground(pid_t group);

  SignalState before_{};
  Fd signals_;
  Fd terminal_;              // /dev/tty, when there is one
  std::vector<Fd> watched_;  // pidfds of the processes that watch() got and that may still run
  std::optional<Command> command_;
  bool own_group_ = false;
  bool lent_ = false;  // the workload's group is the terminal's foreground
  std::optional<Clock::time_point> stopped_since_;  // of the workload
  std::optional<int> interrupted_by_;
  Ending ending_;
};

}  // namespace tacho

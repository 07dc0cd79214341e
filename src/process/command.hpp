// Launches a workload: starts a child that waits before its exec.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <memory>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "process/launch.hpp"

namespace tacho {

// The signal state before the parent changed it. The child gets this state.
struct SignalState {
  sigset_t mask{};
  bool pipe_ignored = false;      // SIGPIPE was SIG_IGN
  bool children_ignored = false;  // SIGCHLD was SIG_IGN
};

// A command in a child that waits before its exec, so the parent can open counters on it. The
// destructor ends a child that was not released. The owner must reap a released child.
class Command {
 public:
  // Starts the child. With `own_group` it is in a process group of its own. If the parent dies,
  // SIGKILL ends the child.
  static Result<Command> prepare(const Launch& launch, bool own_group, const SignalState& signals);

  Command(Command&&) noexcept;
  Command& operator=(Command&&) noexcept;
  ~Command();

  pid_t pid() const { return pid_; }

  // Lets the child exec and returns after the exec. On failure the child has ended, and the error's
  // code is the errno of exec or chdir: ENOENT if there is no such command or working directory; 0
  // if tacho could not start it. While the exec does not happen (the child may be stopped), it
  // calls `look` every 20 ms.
  Result<void> release(const std::function<void()>& look);

 private:
  struct Child;
  struct Failure;

  Command();
  Failure await_exec(const std::function<void()>& look);
  void reap() const;

  std::unique_ptr<Child> child_;  // memory that the child uses until its exec
  pid_t pid_ = -1;
  Fd go_;      // a byte written here lets the child exec
  Fd failed_;  // the Failure of the child comes from here; end of file means success
};

// Checks a command that another program will run. Returns the error that release() would return if
// there is no such directory or command, or if it may not be run, as far as the files show this.
Result<void> can_run(const Launch& launch);

}  // namespace tacho

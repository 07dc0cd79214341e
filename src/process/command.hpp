// Launching a workload: a child that waits before its exec.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace tacho {

// What a parent changed for itself and its child must find as it was.
struct SignalState {
  sigset_t mask{};
  bool pipe_ignored = false;      // SIGPIPE was SIG_IGN
  bool children_ignored = false;  // SIGCHLD was SIG_IGN
};

// A command in a child that waits before its exec, so that counters can be opened on it. Dropping
// an unreleased Command ends the child; a released one goes on and must be reaped by its owner.
class Command {
 public:
  // Starts the child, with this process's environment and the NAME=VALUEs of `environment` in it.
  // `own_group` puts it into a process group of its own. It dies with its parent (SIGKILL), as the
  // command would have if the parent had never stood before it.
  static Result<Command> prepare(std::span<const std::string> argv,
                                 std::span<const std::string> environment, bool own_group,
                                 const SignalState& signals);

  Command(Command&&) noexcept;
  Command& operator=(Command&&) noexcept;
  ~Command();

  pid_t pid() const { return pid_; }

  // Lets the child exec, and returns when it has. On failure the child is gone, and the error's
  // code is exec's errno: ENOENT when there is no such command.
  // While that takes long, as when the child is stopped before its exec, `look` is called.
  Result<void> release(const std::function<void()>& look);

 private:
  struct Child;

  Command();

  std::unique_ptr<Child> child_;  // what the child stands on until its exec
  pid_t pid_ = -1;
  Fd go_;      // a byte written here lets the child exec
  Fd failed_;  // the errno of a failed exec comes from here; end of file means success
};

// What release() would find before its exec, for a command that someone else is to run: the same
// error when there is no such command or it may not be run, as far as can be seen from outside.
Result<void> can_run(const std::string& name);

}  // namespace tacho

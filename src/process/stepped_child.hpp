// A child process that runs functions of this program, one step at a time: work that its parent
// counts from outside.
#pragma once

#include <sys/types.h>

#include <functional>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace tacho {

// The destructor kills the child, and waits for its end. SIGKILL ends it if the parent dies, too.
class SteppedChild {
 public:
  // Forks a child, which then waits. In each step it calls `work` with 0, 1, …
  static Result<SteppedChild> start(const std::function<void(int step)>& work);

  SteppedChild(SteppedChild&&) noexcept;
  SteppedChild& operator=(SteppedChild&&) = delete;
  ~SteppedChild();

  pid_t pid() const { return pid_; }

  // Has the child begin its next step. It is an error if the child has ended.
  Result<void> begin_step() const;
  // Waits until the child has finished the step. Then it waits again.
  Result<void> end_step() const;
  Result<void> step() const;
  // Has the child end as soon as the step that it is in has ended. Does not wait.
  void let_end() { link_.reset(); }

 private:
  SteppedChild() = default;

  pid_t pid_ = -1;
  Fd link_;  // a byte sent here begins a step, and one comes back at its end; closed: the child
             // ends
};

// Runs `work` in a child process of the caller, and waits until it has ended. Returns whether it
// ended as it should.
bool run_in_child(const std::function<void()>& work);

}  // namespace tacho

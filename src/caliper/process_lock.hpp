// A lock between the threads of a process. In the child of a fork it is free, even if another
// thread held it.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>

namespace tacho::caliper {

class ProcessLock {
 public:
  constexpr ProcessLock() = default;
  ProcessLock(const ProcessLock&) = delete;
  ProcessLock& operator=(const ProcessLock&) = delete;

  // A thread has its turn as long as this lives. It may wait for another process meanwhile.
  class Turn {
   public:
    explicit Turn(ProcessLock& of) noexcept : lock_(of) { lock_.take(); }
    ~Turn() { lock_.give_back(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    ProcessLock& lock_;
  };

 private:
  void take() noexcept {
    const pid_t here = ::getpid();
    pid_t holder = 0;
    while (!holder_.compare_exchange_weak(holder, here, std::memory_order_acquire)) {
      if (holder == here) holder_.wait(here, std::memory_order_relaxed);
      if (holder == here) holder = 0;  // else it is of the parent, and can be taken
    }
  }
  void give_back() noexcept {
    holder_.store(0, std::memory_order_release);
    holder_.notify_one();
  }

  std::atomic<pid_t> holder_ = 0;  // its process; 0: it is free
};

}  // namespace tacho::caliper

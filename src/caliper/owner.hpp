// Owner: the thread and process that an object belongs to. It is checked without a system call.
#pragma once

#include <atomic>
#include <cstdint>

namespace tacho::caliper {

class Owner {
 public:
  Owner();  // of the calling thread

  bool is_calling() const noexcept { return thread_ == here; }
  static void after_fork_in_child() noexcept;
  bool in_its_process() const noexcept { return forks_ == forks.load(std::memory_order_relaxed); }

 private:
  // The number of the calling thread, which no other thread has, in this process or in its parents.
  // 0 if it has none yet.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local std::uint64_t here;
  static std::atomic<std::uint64_t> threads;  // how many have a number
  static std::atomic<std::uint32_t> forks;    // how many led to this process

  static void number_thread() noexcept;

  std::uint64_t thread_;
  std::uint32_t forks_;
};

}  // namespace tacho::caliper

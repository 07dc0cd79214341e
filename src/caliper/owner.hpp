// Which thread of which process something belongs to, without a system call.
#pragma once

#include <atomic>
#include <cstdint>

namespace tacho::caliper {

class Owner {
 public:
  Owner();  // the calling thread

  bool is_calling() const noexcept { return thread_ == here; }
  bool in_its_process() const noexcept { return forks_ == forks.load(std::memory_order_relaxed); }

 private:
  // A number that no other thread has had, in this process or those that it comes from; 0: none
  // yet.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local std::uint64_t here;
  static std::atomic<std::uint64_t> threads;  // that have a number
  static std::atomic<std::uint32_t> forks;    // that led here

  static void number_thread() noexcept;

  std::uint64_t thread_;
  std::uint32_t forks_;
};

}  // namespace tacho::caliper

// Counters of the core that the calling thread is bound to, which the thread reads by itself: the
// kernel module tacho_pmu opens their registers. Another thread on the same CPU, the keeper, looks
// after them: ten times a second it makes their 32 bits 64, and holds what was counted against the
// module's word. What is read is good if doubt() has nothing to say afterwards.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "pmu/registers/bank.hpp"
#include "pmu/registers/guard.hpp"
#include "pmu/registers/own_reads.hpp"

namespace tacho::arm {

class SelfRegisters {
 public:
  // Takes counters for the events of `which` (places in `events`), which count from now on. Errors:
  // the thread may run on several CPUs; the module is not loaded, or in use by others; an event
  // that the core, or its registers, do not have.
  static Result<std::unique_ptr<SelfRegisters>> open(std::span<const Event> events,
                                                     std::span<const std::size_t> which);
  // Whether this process has some open: perf must be left alone then.
  static bool in_use() noexcept;
  static Error busy();  // what to say then

  ~SelfRegisters();
  SelfRegisters(const SelfRegisters&) = delete;
  SelfRegisters& operator=(const SelfRegisters&) = delete;

  // Of the thread that opened them alone: each event's count in its place of `values`. False once
  // there is a doubt.
  [[gnu::always_inline]] bool read(std::uint64_t* values) noexcept {
    return !doubted_.load(std::memory_order_relaxed) && table_.read(values, retries_);
  }

  // Why nothing that was read is to be believed; nothing if all is. By any thread: waits for the
  // keeper, some 100 µs.
  std::optional<Error> doubt();

 private:
  class Claim;
  struct Job;
  explicit SelfRegisters(std::unique_ptr<Job> job);
  std::optional<Error> start();
  void keep();

  OwnReads table_;
  std::uint64_t retries_ = 0;
  std::atomic<bool> doubted_ = false;

  std::unique_ptr<Job> job_;  // the keeper's
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0;     // looks that were asked for
  std::uint64_t answered_ = 0;  // of these
  bool over_ = false;
  std::optional<Error> why_;  // of the doubt
  std::thread keeper_;
};

}  // namespace tacho::arm

// Counters of the core that the calling thread is bound to. The thread reads them itself, because
// the kernel module tacho_pmu opens their registers. Ten times a second, another thread on the same
// CPU, the keeper, widens their 32 bits to 64 and checks the module's status. Readings are valid if
// doubt() returns nothing afterwards.
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
#include "pmu/registers/counter_table.hpp"
#include "pmu/registers/sigill_guard.hpp"

namespace tacho::arm {

class SelfRegisters {
 public:
  // Opens the events of `which` (indices in `events`), which count from now on. It is an error if
  // the thread may run on several CPUs, if the module is not loaded or in use by others, or if the
  // core or its registers do not have an event.
  static Result<std::unique_ptr<SelfRegisters>> open(std::span<const Event> events,
                                                     std::span<const std::size_t> which);
  // Whether this process has registers open. Then it must not open events of perf.
  static bool in_use() noexcept;
  static Error busy();  // the error for that

  ~SelfRegisters();
  SelfRegisters(const SelfRegisters&) = delete;
  SelfRegisters& operator=(const SelfRegisters&) = delete;

  // Only for the thread that opened the counters. Stores the count of each event at its index in
  // `values`. Returns false once there is a doubt.
  [[gnu::always_inline]] bool read(std::uint64_t* values) noexcept {
    return !doubted_.load(std::memory_order_relaxed) && table_.read(values, retries_);
  }

  // Why the readings are not valid; nothing if they are. For any thread. Waits about 100 µs for the
  // keeper.
  std::optional<Error> doubt();

 private:
  class Claim;
  struct Job;
  explicit SelfRegisters(std::unique_ptr<Job> job);
  std::optional<Error> start();
  void keep();

  CounterTable table_;
  std::uint64_t retries_ = 0;
  std::atomic<bool> doubted_ = false;

  std::unique_ptr<Job> job_;  // used by the keeper
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0;     // number of looks that were requested
  std::uint64_t answered_ = 0;  // number of them that were done
  bool over_ = false;
  std::optional<Error> why_;  // the reason for the doubt
  std::thread keeper_;
};

}  // namespace tacho::arm

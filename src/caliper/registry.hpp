// What the process knows of all regions and threads. One registry, which is never destroyed:
// regions are run through until the process has ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "caliper/thread.hpp"
#include "caliper/totals.hpp"

namespace tacho::caliper {

class Registry {
 public:
  static Registry& get();

  // The number of the region of that name, from 1 on; 0 when memory is out.
  std::uint32_t number_of(std::string_view name) noexcept;

  // Whether there is such a region: a program's handle may be anything.
  bool knows(std::uint32_t region);
  std::string name_of(std::uint32_t region);

  // What regions count. Decided when the first thread asks for it; before, a program may say so.
  const Counting& counting();
  // False when it is too late.
  bool decide(const std::vector<std::string>& events);

  void adopt(Thread* thread);
  // Adds what the thread has measured to that of those that have ended, and deletes it.
  void retire(Thread* thread) noexcept;
  // Called by the thread itself: makes its table large enough, and puts a record in.
  bool give_record(Thread& thread, std::uint32_t region) noexcept;
  // Called by the thread that adds to the series: reports don't read it meanwhile.
  void make_place(TurnSeries& series, std::uint32_t round) noexcept;

  void count_unmatched() noexcept { unmatched_.fetch_add(1, std::memory_order_relaxed); }
  void count_no_memory() noexcept { no_memory_.fetch_add(1, std::memory_order_relaxed); }

  struct Merged {
    std::vector<std::string> names;  // by number
    std::vector<Totals> totals;      // by number
    std::optional<Counting> counting;
    std::uint64_t unmatched = 0;
    std::uint64_t too_deep = 0;
    std::uint64_t no_memory = 0;
  };
  Merged merged();

 private:
  Registry();
  static void add_thread(std::vector<Totals>& all, const Thread& thread);
  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

  void decide_locked(const std::vector<std::string>& events);

  std::mutex mutex_;
  std::optional<Counting> counting_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<std::string> names_;  // by number
  std::vector<Thread*> threads_;
  std::vector<Totals> ended_;  // by number
  std::uint64_t too_deep_ = 0;
  std::atomic<std::uint64_t> unmatched_{0};  // of all threads, those without regions included
  std::atomic<std::uint64_t> no_memory_{0};  // executions that it kept from being measured
};

}  // namespace tacho::caliper

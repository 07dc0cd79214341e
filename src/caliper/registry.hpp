// Registry: all regions and threads of the process. There is one registry. It is never destroyed,
// because regions can execute until the process ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/published.hpp"
#include "caliper/thread.hpp"
#include "caliper/totals.hpp"
#include "tacho/caliper.hpp"

namespace tacho::caliper {

class Registry {
 public:
  static Registry& get();

  // The number of the region with this name: 1 or more, or 0 if memory runs out.
  std::uint32_t number_of(std::string_view name) noexcept;

  // The site of the region with this name. Throws std::bad_alloc.
  RegionSite& site_of(std::string_view name);

  // Whether tacho counts while this region runs (region_gate.hpp).
  bool is_gate(std::uint32_t region) const noexcept {
    return region == gate_.load(std::memory_order_relaxed);
  }

  // Whether there is a region with this number. A C program can pass any number as a handle.
  bool knows(std::uint32_t region);
  std::string name_of(std::uint32_t region);

  // The events that regions count. The first call fixes them, unless choose_events() did before.
  const CountingPlan& counting();
  // The same, or null if they are not fixed.
  const CountingPlan* known_counting() const noexcept;
  // Returns false if the events are already fixed.
  bool choose_events(const std::vector<std::string>& events, CountScope scope);

  // From now on reports include the thread.
  void add(Thread* thread);
  // Adds the thread's figures to those of the ended threads, and deletes the thread.
  void retire(Thread* thread) noexcept;
  // Makes the thread's table large enough and adds a record of the region. Returns false if memory
  // runs out. The thread itself calls it.
  bool add_record(Thread& thread, std::uint32_t region) noexcept;
  // Gives sketches to a record that is full, which moves. The record's thread calls it.
  void add_sketches(Thread& thread, std::uint32_t region) noexcept;
  // The same of a note's values.
  void add_sketches(Note& note) noexcept;
  // From now on reports include the note. The record's thread calls it.
  void add(Note& note, Record& record) noexcept;
  // As Paths::child(), while no report reads the paths. Their thread calls it.
  std::uint32_t path_child(Paths& paths, std::uint32_t parent, std::uint32_t region) noexcept;
  // Exchanges the room of a trace while no report reads it. The trace's thread calls it.
  void exchange(ExecutionRoom& room, ExecutionRoom& other) noexcept;
  // Makes a place for the round while no report reads the series. The series' thread calls it.
  void make_place(TurnSeries& series, std::uint32_t round) noexcept;

  void count_unmatched() noexcept { unmatched_.fetch_add(1, std::memory_order_relaxed); }
  // For an end whose begin may have come while regions were off.
  void count_perhaps_unmatched() noexcept {
    perhaps_unmatched_.fetch_add(1, std::memory_order_relaxed);
  }
  void count_no_memory() noexcept { no_memory_.fetch_add(1, std::memory_order_relaxed); }

  // For reports. The lock is held for one region at a time, so a report delays no other thread for
  // long.
  std::uint32_t regions();                 // the highest number
  Totals totals_of(std::uint32_t region);  // of all threads
  PathTotals paths();                      // of all threads
  // Of all threads; those that have ended are taken out. The lock is held meanwhile.
  std::vector<ThreadTrace> take_traces();
  struct Unmeasured {
    std::uint64_t unmatched = 0;
    std::uint64_t perhaps_unmatched = 0;
    std::uint64_t too_deep = 0;
    std::uint64_t no_memory = 0;
  };
  Unmeasured unmeasured();

  // What pthread_atfork() calls. Threads wait for the mutex for microseconds only. What may be
  // slow is done without it: opening events, allocating, and adding up a thread.
  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

 private:
  void retire_record(Thread& thread, std::uint32_t region,
                     const std::optional<Error>& doubt) noexcept;
  void retire_trace(Thread& thread) noexcept;
  void say_unknown_events() const;
  bool enlarge(Thread& thread, std::uint32_t region) noexcept;

  std::mutex mutex_;
  // Set while a thread opens events to plan the counting. Others wait for it. The child of a fork
  // clears it.
  std::atomic_flag planning_;
  Published<const CountingPlan> counting_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::atomic<std::uint32_t> gate_{0};  // 0: none, for it is no region
  // A site, with its name.
  struct NamedSite {
    explicit NamedSite(std::string_view given) : name(given) {}
    std::string name;
    RegionSite site{name};
  };
  std::map<std::string_view, std::unique_ptr<NamedSite>> sites_;
  std::vector<std::string> names_{std::string()};  // by number; number 0 is no region
  std::vector<Thread*> threads_;
  std::vector<std::unique_ptr<Totals>> ended_;  // by number: the figures of ended threads
  PathTotals ended_paths_;
  std::list<ThreadTrace> ended_traces_;
  std::uint64_t too_deep_ = 0;
  std::atomic<std::uint64_t> unmatched_{0};  // in all threads, also in those without regions
  std::atomic<std::uint64_t> perhaps_unmatched_{0};
  std::atomic<std::uint64_t> no_memory_{0};  // executions that were not measured
};

}  // namespace tacho::caliper

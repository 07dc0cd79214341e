// Trace: the single executions of a thread's regions, for viewers that draw them on a time line.
//
// Memory is bounded. When a trace is full, the regions with the most executions keep half of
// theirs, drawn at random, later a quarter, and so on. So rare executions stay.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "caliper/both_clocks.hpp"

namespace tacho::caliper {

struct Execution {
  std::uint64_t begin = 0;  // in ticks, as `end`
  std::uint64_t end = 0;
  std::uint32_t region = 0;
  std::uint32_t number = 0;  // among those of the region in the thread, from 0
};

// Executions, and the room for more.
class ExecutionRoom {
 public:
  ExecutionRoom() = default;
  explicit ExecutionRoom(std::uint32_t capacity)
      : all_(std::make_unique_for_overwrite<Execution[]>(capacity)), capacity_(capacity) {}

  std::uint32_t capacity() const noexcept { return capacity_; }
  bool full() const noexcept { return size_.load(std::memory_order_relaxed) == capacity_; }
  void add(const Execution& execution) noexcept {
    const std::uint32_t size = size_.load(std::memory_order_relaxed);
    all_[size] = execution;
    size_.store(size + 1, std::memory_order_release);  // reports read those before
  }
  void clear() noexcept { size_.store(0, std::memory_order_relaxed); }
  std::span<const Execution> executions() const noexcept {
    return {all_.get(), size_.load(std::memory_order_acquire)};
  }
  ExecutionRoom(ExecutionRoom&& other) noexcept { swap(other); }
  ExecutionRoom& operator=(ExecutionRoom&& other) noexcept {
    swap(other);
    return *this;
  }
  void swap(ExecutionRoom& other) noexcept {
    std::swap(all_, other.all_);
    std::swap(capacity_, other.capacity_);
    size_.store(other.size_.exchange(size_));
  }

 private:
  std::unique_ptr<Execution[]> all_;
  std::uint32_t capacity_ = 0;
  std::atomic<std::uint32_t> size_{0};
};

// Of the thread that makes it.
struct Trace {
  Trace();
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // In the child of a fork, after forget_all_traces().
  void restart() noexcept;

  std::int32_t thread_id;
  ExecutionRoom room;   // replaced under the registry's lock
  bool closed = false;  // there is no room for more
};

// When the first trace of the process was made, in ticks and on CLOCK_MONOTONIC.
const BothClocks& trace_begin();

// The executions, in a larger room. Its capacity is 0 if there is none for the thread or the
// process. Throws std::bad_alloc.
ExecutionRoom enlarged(const ExecutionRoom& room);

// Whether an execution stays when only one of `bits` + 1 of its region does, a power of two. The
// first one always does.
bool stays(const Execution& execution, std::uint32_t bits) noexcept;

// What a report has of a thread's trace.
struct ThreadTrace {
  std::int32_t thread_id = 0;
  std::string thread_name;
  std::uint64_t cost = 0;  // in ticks, of an execution
  std::vector<Execution> executions;
  // For each region of which only one of several executions was kept: of how many.
  std::map<std::uint32_t, std::uint32_t> one_of;
};

// Counts the trace of a thread that has ended in the memory of all traces.
void keep_room_for(const ThreadTrace& ended) noexcept;
// In the child of a fork: the traces of its parent take no memory that counts.
void forget_all_traces() noexcept;

}  // namespace tacho::caliper

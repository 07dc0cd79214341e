#include "caliper/trace.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/published.hpp"

namespace tacho::caliper {
namespace {

constexpr std::uint32_t kMostOfThread = 1U << 16;
constexpr std::uint32_t kMostOfProcess = 1U << 20;

constinit std::atomic<std::uint32_t> taken{0};  // the executions for which all traces have room

bool take(std::uint32_t more) noexcept {
  std::uint32_t known = taken.load(std::memory_order_relaxed);
  do {
    if (known > kMostOfProcess || more > kMostOfProcess - known) return false;
  } while (!taken.compare_exchange_weak(known, known + more, std::memory_order_relaxed));
  return true;
}

std::int32_t calling_thread() noexcept {
  return static_cast<std::int32_t>(::syscall(SYS_gettid));
}

}  // namespace

const BothClocks& trace_begin() {
  static constinit Published<const BothClocks> begin;
  return begin.get([] { return read_both_clocks(CLOCK_MONOTONIC); });
}

Trace::Trace() : thread_id(calling_thread()) {
  trace_begin();
}

Trace::~Trace() {
  taken -= room.capacity();
}

void Trace::restart() noexcept {
  thread_id = calling_thread();
  room.clear();
  closed = false;
  taken += room.capacity();
}

ExecutionRoom enlarged(const ExecutionRoom& room) {
  constexpr std::uint32_t kFirst = 256;
  const std::uint32_t wanted = std::max(kFirst, 2 * room.capacity());
  if (wanted > kMostOfThread) return {};
  ExecutionRoom copy(wanted);
  if (!take(wanted - room.capacity())) return {};
  for (const Execution& execution : room.executions()) copy.add(execution);
  return copy;
}

// A hash decides (the finalizer of MurmurHash3, Austin Appleby). Every second execution would be of
// one kind in a program that does two things in turn. The time makes the draws of different
// regions, threads and runs independent.
bool stays(const Execution& execution, std::uint32_t bits) noexcept {
  std::uint64_t hash = execution.begin ^ (std::uint64_t{execution.region} << 32) ^ execution.number;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdU;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53U;
  hash ^= hash >> 33;
  return execution.number == 0 || (hash & bits) == 0;
}

void keep_room_for(const ThreadTrace& ended) noexcept {
  constexpr std::uint32_t kThread = 8;  // what a thread takes, in executions
  taken += static_cast<std::uint32_t>(ended.executions.size()) + kThread;
}

void forget_all_traces() noexcept {
  taken = 0;
}

}  // namespace tacho::caliper

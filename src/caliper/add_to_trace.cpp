#include "caliper/add_to_trace.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "caliper/pause_regions.hpp"
#include "caliper/registry.hpp"

namespace tacho::caliper {
namespace {

// Those executions that stay when the regions with the most executions keep half of theirs.
ExecutionRoom thinned(const Thread& thread, const ExecutionRoom& room) {
  std::vector<std::uint32_t> count(thread.size);  // by region
  for (const Execution& execution : room.executions()) ++count[execution.region];
  const auto regions = std::ranges::count_if(count, [](std::uint32_t n) { return n > 0; });
  const std::uint32_t mean = room.capacity() / static_cast<std::uint32_t>(regions);
  for (std::uint32_t region = 0; region < thread.size; ++region)
    if (count[region] >= std::max(2U, mean)) {
      Count32& left_out = thread.records[region]->left_out_of_trace;
      left_out.set(2 * left_out.get() + 1);
    }
  ExecutionRoom copy(room.capacity());
  for (const Execution& execution : room.executions())
    if (stays(execution, thread.records[execution.region]->left_out_of_trace.get()))
      copy.add(execution);
  return copy;
}

// Its time is not part of the regions that run.
[[gnu::noinline, gnu::cold]] void make_room(Thread& thread) noexcept {
  Trace& trace = *thread.trace;
  const PauseRegions pause(thread);
  try {
    ExecutionRoom room = enlarged(trace.room);
    if (room.capacity() == 0 && trace.room.capacity() > 0) room = thinned(thread, trace.room);
    trace.closed = room.full();
    if (!trace.closed) Registry::get().exchange(trace.room, room);
  } catch (const std::bad_alloc&) {
    trace.closed = true;
  }
}

}  // namespace

void add_to_trace(Thread& thread, const Frame& frame, std::uint64_t end) noexcept {
  Trace& trace = *thread.trace;
  const Execution execution{.begin = frame.ticks - frame.paused,
                            .end = end,
                            .region = frame.region,
                            .number = static_cast<std::uint32_t>(frame.record->begun.get() - 1)};
  const Count32& left_out = frame.record->left_out_of_trace;
  if (trace.closed || !stays(execution, left_out.get())) return;
  if (trace.room.full()) make_room(thread);
  if (trace.closed || !stays(execution, left_out.get())) return;
  trace.room.add(execution);
}

}  // namespace tacho::caliper

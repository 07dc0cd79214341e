// How a thread gets its Thread and its records, and what becomes of them at its end and at a fork.
#include "caliper/thread_start.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "caliper/measure_own_cost.hpp"
#include "caliper/registry.hpp"
#include "tacho/ticks.hpp"

namespace tacho::caliper {
namespace {

// For the calling thread. They have no destructors, so they can be used after the thread's objects
// were destroyed.
constinit thread_local bool thread_ended = false;
constinit thread_local std::uint64_t begins_without_frame = 0;  // whose ends have not come yet

// Its destructor runs when the thread ends.
struct AtThreadEnd {
  ~AtThreadEnd() {
    thread_ended = true;
    Thread* const thread = this_thread;
    this_thread = &no_thread;
    if (thread != &no_thread) Registry::get().retire(thread);
  }
};

void open_counters(Thread& thread, const CountingPlan& counting) {
  static std::atomic<std::uint64_t> threads{0};
  thread.live.reset();
  thread.counted.clear();
  if (counting.read_method() == ReadMethod::none) return;
  thread.live = std::make_unique<LiveCounters>(counting, threads.fetch_add(1));
  if (thread.starts == nullptr) thread.starts = std::make_unique<Snapshot[]>(Thread::kMaxDepth);
  for (std::uint32_t event = 0; event < counting.requested; ++event)
    if (!thread.live->refused()[event]) thread.counted.push_back({event, {}});
}

// Makes the Thread of the calling thread. Reports include it after its own cost was measured.
Thread* begin_thread(std::uint32_t region) {
  Registry& registry = Registry::get();
  auto thread = std::make_unique<Thread>();
  open_counters(*thread, registry.counting());
  if (!registry.add_record(*thread, region)) return nullptr;
  this_thread = thread.get();
  measure_own_costs(*thread, region, registry.name_of(region));
  registry.add(thread.get());
  return thread.release();
}

// Excludes its lifetime from the regions that are running, by moving their begins.
class PauseRegions {
 public:
  explicit PauseRegions(Thread& thread) : thread_(thread) {
    counted_ = thread.live != nullptr && thread.depth > 0 && thread.live->read(counts_);
    ticks_ = ordered_ticks();
  }
  ~PauseRegions() {
    const std::uint64_t ticks = ordered_ticks() - ticks_;
    Snapshot now;
    counted_ = counted_ && thread_.live->read(now);
    for (std::size_t at = 0; at < std::min<std::size_t>(thread_.depth, Thread::kMaxDepth); ++at) {
      Frame& frame = thread_.frames[at];
      frame.ticks += ticks;
      if (counted_ && frame.counted) thread_.starts[at].shift(counts_, now, thread_.live->sets());
    }
  }
  PauseRegions(const PauseRegions&) = delete;
  PauseRegions& operator=(const PauseRegions&) = delete;

 private:
  Thread& thread_;
  std::uint64_t ticks_ = 0;
  bool counted_ = false;
  Snapshot counts_;
};

// The first region of a child after a fork. It keeps the costs that its parent measured.
void begin_child(Thread& thread) {
  thread.forked = false;
  const std::vector<Counted> costs = std::move(thread.counted);
  open_counters(thread, Registry::get().counting());
  for (Counted& counted : thread.counted)
    for (const Counted& known : costs)
      if (known.event == counted.event) counted.cost = known.cost;
  thread.size = thread.real_size;
  Registry::get().add(&thread);
}

}  // namespace

Thread* prepare(std::uint32_t region) noexcept {
  if (thread_ended || !Registry::get().knows(region)) return nullptr;
  [[maybe_unused]] thread_local const AtThreadEnd at_thread_end;
  try {
    if (this_thread != &no_thread) {
      if (this_thread->forked) begin_child(*this_thread);
      const PauseRegions pause(*this_thread);
      if (!Registry::get().add_record(*this_thread, region)) Registry::get().count_no_memory();
      return this_thread;
    }
    if (Thread* const begun = begin_thread(region)) return begun;
  } catch (...) {  // std::bad_alloc
    this_thread = &no_thread;
  }
  begin_unmeasured();
  return nullptr;
}

void begin_unmeasured() noexcept {
  if (thread_ended) return;
  ++begins_without_frame;
  Registry::get().count_no_memory();
}

// While the last objects of a thread are destroyed, ends are ignored: their begins were ignored,
// too.
void end_unmatched() noexcept {
  if (thread_ended) return;
  if (begins_without_frame > 0)
    --begins_without_frame;
  else
    Registry::get().count_unmatched();
}

}  // namespace tacho::caliper

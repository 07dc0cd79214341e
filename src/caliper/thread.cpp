// The first and the last region of a thread, and how a thread measures its own cost.
#include "caliper/thread.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <string>

#include "caliper/registry.hpp"
#include "stats/quantile.hpp"
#include "tacho/caliper.hpp"
#include "tacho/ticks.hpp"

namespace tacho::caliper {
namespace {

constinit Thread no_thread;

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

constexpr std::size_t kBatches = 15;
constexpr std::size_t kExecutions = 16;

// The cost in one quantity, from several batches.
struct Trials {
  using Batches = std::array<std::uint64_t, kBatches>;
  Batches inside{};
  Batches outside{};
  Batches unmeasured{};

  // `inner` is the count of one execution. `around` is the count around a batch of executions, and
  // `recursive` the count around a batch of executions that were not measured.
  void add(std::size_t batch, std::uint64_t inner, std::uint64_t around, std::uint64_t recursive) {
    inside[batch] = inner;
    outside[batch] = (around - std::min(around, inner)) / kExecutions;
    unmeasured[batch] = (recursive - std::min(recursive, inner)) / kExecutions;
  }
  OwnCost cost() const {
    return {.inside = usual(inside), .outside = usual(outside), .unmeasured = usual(unmeasured)};
  }

 private:
  static std::uint64_t usual(const Batches& batches) {
    std::vector<double> values(batches.begin(), batches.end());
    return static_cast<std::uint64_t>(median(values));
  }
};

// A batch of empty executions, and the counts around it.
struct Batch {
  std::uint64_t ticks = 0;
  Snapshot before;
  Snapshot after;

  Batch(RegionSite& site, LiveCounters* live) {
    if (live != nullptr) live->read(before);
    const std::uint64_t begun = ordered_ticks();
    for (std::size_t i = 0; i < kExecutions; ++i) {
      site.begin();
      site.end();
    }
    ticks = ordered_ticks() - begun;
    if (live != nullptr) live->read(after);
  }
  std::uint64_t counted(std::uint32_t event) const {
    return after.values[event] - before.values[event];
  }
};

// Measures the cost in ticks and in the events that the active set counts. The costs in other
// events stay as they are.
void measure_own_cost(Thread& thread, RegionSite& site, const Record& record) {
  LiveCounters* const live = thread.live.get();
  Trials ticks;
  std::vector<Trials> events(thread.counted.size());
  std::vector<std::uint64_t> sums(events.size());
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    const Batch measured(site, live);
    site.begin();
    const Batch recursive(site, live);
    site.end();
    // One more execution, for the count inside it.
    const std::uint64_t ticks_sum = record.ticks.sum.get();
    for (std::size_t e = 0; e < events.size(); ++e)
      sums[e] = record.event(thread.counted[e].event).sum.get();
    site.begin();
    site.end();
    ticks.add(batch, record.ticks.sum.get() - ticks_sum, measured.ticks, recursive.ticks);
    for (std::size_t e = 0; e < events.size(); ++e) {
      const std::uint32_t event = thread.counted[e].event;
      events[e].add(batch, record.event(event).sum.get() - sums[e], measured.counted(event),
                    recursive.counted(event));
    }
  }
  thread.cost = ticks.cost();
  for (std::size_t e = 0; e < events.size(); ++e) {
    const auto set = live->set_of(thread.counted[e].event);
    if (!set || *set == live->active_set()) thread.counted[e].cost = events[e].cost();
  }
}

// Executes an empty region with the code, the record and the caches of later executions. The
// medians exclude interrupts and the first executions, which are slow.
void measure_own_costs(Thread& thread, std::uint32_t region) {
  const std::string name = Registry::get().name_of(region);
  RegionSite site(name);
  const std::size_t sets = thread.live == nullptr ? 0 : thread.live->sets();
  for (std::size_t set = 0; set < std::max<std::size_t>(sets, 1); ++set) {
    if (set > 0) thread.live->turn();
    if (thread.live != nullptr) thread.live->hold_turns();
    measure_own_cost(thread, site, *thread.records[region]);
  }
  if (sets > 1) thread.live->turn();
  clear_record(thread.records[region]);
}

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
  measure_own_costs(*thread, region);
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

constinit thread_local Thread* this_thread = &no_thread;

Thread::~Thread() {
  for (std::uint32_t region = 0; region < size; ++region)
    if (records[region] != nullptr) free_record(records[region]);
  delete[] records;
}

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

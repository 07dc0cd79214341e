// The beginning and the end of a thread's own part.
#include "caliper/thread.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <string>

#include "caliper/registry.hpp"
#include "tacho/caliper.hpp"
#include "tacho/ticks.hpp"

namespace tacho::caliper {
namespace {

constinit Thread nobody;

// Of the calling thread; asked for when its objects have been destroyed, too.
constinit thread_local bool thread_ended = false;
constinit thread_local std::uint64_t frameless = 0;  // begins without a frame; ends are to come

// Stands for a thread's end: its destructor runs then.
struct AtThreadEnd {
  ~AtThreadEnd() {
    thread_ended = true;
    Thread* const thread = this_thread;
    this_thread = &nobody;
    if (thread != &nobody) Registry::get().retire(thread);
  }
};

template <class Values>
auto median(Values& values) {
  const auto middle = values.begin() + values.size() / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

constexpr std::size_t kBatches = 15;
constexpr std::size_t kExecutions = 16;

// One quantity's cost, batch by batch.
struct Trials {
  std::array<std::uint64_t, kBatches> inside{};
  std::array<std::uint64_t, kBatches> outside{};
  std::array<std::uint64_t, kBatches> unmeasured{};

  // `inner` is what an execution counted, `around` what was counted around as many as a batch has,
  // and `recursive` around as many that were not measured.
  void add(std::size_t batch, std::uint64_t inner, std::uint64_t around, std::uint64_t recursive) {
    inside[batch] = inner;
    outside[batch] = (around - std::min(around, inner)) / kExecutions;
    unmeasured[batch] = (recursive - std::min(recursive, inner)) / kExecutions;
  }
  OwnCost cost() {
    return {.inside = median(inside), .outside = median(outside), .unmeasured = median(unmeasured)};
  }
};

// A batch of empty executions, and what was counted around it.
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

// What the set that is on can't count stays as it is.
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
    // One more, for what it counted itself.
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
    if (!set || *set == live->on()) thread.counted[e].cost = events[e].cost();
  }
}

// Executions of an empty region, with the paths, the record and the caches as they will be.
// Medians, since interrupts come between; the first ones are slow.
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

void open_counters(Thread& thread, const Counting& counting) {
  static std::atomic<std::uint64_t> threads{0};
  thread.live.reset();
  thread.counted.clear();
  if (counting.read_method() == ReadMethod::none) return;
  thread.live = std::make_unique<LiveCounters>(counting, threads.fetch_add(1));
  if (thread.starts == nullptr) thread.starts = std::make_unique<Snapshot[]>(Thread::kDeepest);
  for (std::uint32_t event = 0; event < counting.asked; ++event)
    if (!thread.live->refused()[event]) thread.counted.push_back({event, {}});
}

// Reports know of it when its own cost has been measured.
Thread* begin_thread(std::uint32_t region) {
  Registry& registry = Registry::get();
  auto thread = std::make_unique<Thread>();
  open_counters(*thread, registry.counting());
  if (!registry.give_record(*thread, region)) return nullptr;
  this_thread = thread.get();
  measure_own_costs(*thread, region);
  registry.adopt(thread.get());
  return thread.release();
}

// What happens while it lives is not of the regions that are running: their begins are put off.
class Standstill {
 public:
  explicit Standstill(Thread& thread) : thread_(thread) {
    counted_ = thread.live != nullptr && thread.depth > 0 && thread.live->read(counts_);
    ticks_ = ordered_ticks();
  }
  ~Standstill() {
    const std::uint64_t ticks = ordered_ticks() - ticks_;
    Snapshot now;
    counted_ = counted_ && thread_.live->read(now);
    for (std::size_t at = 0; at < std::min<std::size_t>(thread_.depth, Thread::kDeepest); ++at) {
      Frame& frame = thread_.frames[at];
      frame.ticks += ticks;
      if (counted_ && frame.counted) thread_.starts[at].put_off(counts_, now, thread_.live->sets());
    }
  }
  Standstill(const Standstill&) = delete;
  Standstill& operator=(const Standstill&) = delete;

 private:
  Thread& thread_;
  std::uint64_t ticks_ = 0;
  bool counted_ = false;
  Snapshot counts_;
};

// The child's first region after a fork. The costs are its parent's.
void begin_child(Thread& thread) {
  thread.forked = false;
  const std::vector<Counted> costs = std::move(thread.counted);
  open_counters(thread, Registry::get().counting());
  for (Counted& counted : thread.counted)
    for (const Counted& known : costs)
      if (known.event == counted.event) counted.cost = known.cost;
  thread.size = thread.real_size;
  Registry::get().adopt(&thread);
}

}  // namespace

constinit thread_local Thread* this_thread = &nobody;

Thread::~Thread() {
  for (std::uint32_t region = 0; region < size; ++region)
    if (records[region] != nullptr) drop_record(records[region]);
  delete[] records;
}

Thread* prepare(std::uint32_t region) noexcept {
  if (thread_ended || !Registry::get().knows(region)) return nullptr;
  [[maybe_unused]] thread_local const AtThreadEnd at_thread_end;
  try {
    if (this_thread != &nobody) {
      if (this_thread->forked) begin_child(*this_thread);
      const Standstill standstill(*this_thread);
      if (!Registry::get().give_record(*this_thread, region)) Registry::get().count_no_memory();
      return this_thread;
    }
    if (Thread* const begun = begin_thread(region)) return begun;
  } catch (...) {  // memory is out
    this_thread = &nobody;
  }
  begin_unmeasured();
  return nullptr;
}

void begin_unmeasured() noexcept {
  if (thread_ended) return;
  ++frameless;
  Registry::get().count_no_memory();
}

// Regions that begin or end while a thread's last objects are destroyed are not measured: what ends
// then may well have begun.
void end_unmatched() noexcept {
  if (thread_ended) return;
  if (frameless > 0)
    --frameless;
  else
    Registry::get().count_unmatched();
}

}  // namespace tacho::caliper

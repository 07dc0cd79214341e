// How a thread gets its Thread and its records, and what becomes of them at its end and at a fork.
#include "caliper/thread_start.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/published.hpp"
#include "caliper/at_exit.hpp"
#include "caliper/measure_own_cost.hpp"
#include "caliper/no_cancel.hpp"
#include "caliper/pause_regions.hpp"
#include "caliper/region_control.hpp"
#include "caliper/region_gate.hpp"
#include "caliper/region_switch.hpp"
#include "caliper/registry.hpp"
#include "tacho/ticks.hpp"

namespace tacho::caliper {
namespace {

// For the calling thread. They have no destructors, so they can be used after the thread's objects
// were destroyed.
constinit thread_local bool thread_ended = false;
constinit thread_local std::uint64_t begins_without_frame = 0;  // whose ends have not come yet

// The key whose destructor runs when a thread ends: after the destructors of its thread_local
// objects. It does not run in the thread that calls exit(), which executes regions to the end.
pthread_key_t end_key;
bool has_end_key = false;
// Values of the key. The destructors of other keys run in rounds, of which the first is measured.
char first_round;
char second_round;

void at_thread_end(void* round) {
  if (round == &first_round && ::pthread_setspecific(end_key, &second_round) == 0) return;
  thread_ended = true;
  Thread* const thread = this_thread;
  this_thread = &no_thread;
  if (thread == &no_thread) return;
  leave_gate_with(*thread);
  Registry::get().retire(thread);
}

[[gnu::constructor(101)]] void make_end_key() {
  has_end_key = ::pthread_key_create(&end_key, at_thread_end) == 0;
}

// At dlclose() of a library that this code is a part of, threads go on.
[[gnu::destructor(101)]] void delete_end_key() {
  if (has_end_key) ::pthread_key_delete(end_key);
  has_end_key = false;
}

// Without the key, the Thread stays when the thread has ended, and with it its figures.
void notice_thread_end() {
  if (has_end_key && ::pthread_getspecific(end_key) == nullptr)
    ::pthread_setspecific(end_key, &first_round);
}

void open_counters(Thread& thread, const CountingPlan& counting) {
  static std::atomic<std::uint64_t> threads{0};
  thread.live.reset();
  thread.counted.clear();
  if (counting.read_method() == ReadMethod::none) return;
  thread.live = std::make_unique<LiveCounters>(counting, threads.fetch_add(1));
  if (thread.starts == nullptr) {
    // Zeros from the kernel, which are not touched before they are used.
    thread.starts.reset(static_cast<Snapshot*>(std::calloc(Thread::kMaxDepth, sizeof(Snapshot))));
    if (thread.starts == nullptr) throw std::bad_alloc();
  }
  for (std::uint32_t event = 0; event < counting.requested; ++event)
    if (!thread.live->refused()[event]) thread.counted.push_back({event, {}});
}

// The own costs, which the first thread of the process measures.
constinit Published<const OwnCosts> measured_costs;

// Takes the costs that were measured, or measures them: in the first thread, and in a thread that
// counts an event which the first one could not count.
//
// Returns false if regions were turned off meanwhile, so that nothing was measured.
bool set_own_costs(Thread& thread, std::uint32_t region, std::string_view name) {
  const OwnCosts* const known = measured_costs.known();
  if (known != nullptr && known->give_to(thread)) return true;
  const std::uint32_t state = detail::regions_state();
  measure_own_costs(thread, region, name);
  if (!is_on_since(state, detail::regions_state())) return false;
  measured_costs.get([&] { return OwnCosts(thread); });
  return true;
}

// Makes the Thread of the calling thread. Reports include it when its own cost is known. Returns
// null if memory runs out, or if regions are turned off meanwhile.
Thread* begin_thread(std::uint32_t region) {
  Registry& registry = Registry::get();
  auto thread = std::make_unique<Thread>();
  thread->paths = std::make_unique<Paths>();
  if (asks_for_trace()) thread->trace = std::make_unique<Trace>();
  open_counters(*thread, registry.counting());
  if (!registry.add_record(*thread, region)) return nullptr;
  this_thread = thread.get();
  if (!set_own_costs(*thread, region, registry.name_of(region))) return nullptr;
  thread->records[region]->is_gate = registry.is_gate(region);  // no own costs are counted
  registry.add(thread.get());
  return thread.release();
}

// Pauses the regions of the calling thread, if it has any.
void pause_own(std::optional<PauseRegions>& pause) noexcept {
  if (this_thread != &no_thread && !this_thread->forked) pause.emplace(*this_thread);
}

void hand_over_outside_of_regions() noexcept {
  std::optional<PauseRegions> pause;
  pause_own(pause);
  hand_over_report();
}

// The first region of a child after a fork. It keeps the costs that its parent measured.
void begin_child(Thread& thread) {
  thread.forked = false;
  const OwnCosts costs(thread);
  open_counters(thread, Registry::get().counting());
  costs.give_to(thread);
  thread.size = thread.real_size;
  Registry::get().add(&thread);
}

}  // namespace

std::uint32_t number_of(std::string_view name) noexcept {
  std::optional<PauseRegions> pause;
  pause_own(pause);
  return Registry::get().number_of(name);
}

Thread* prepare(std::uint32_t region) noexcept {
  if (thread_ended || !Registry::get().knows(region)) return nullptr;
  notice_thread_end();
  const NoCancel all;
  try {
    if (this_thread != &no_thread) {
      if (this_thread->forked) begin_child(*this_thread);
      const PauseRegions pause(*this_thread);
      Registry& registry = Registry::get();
      const bool known = region < this_thread->size && this_thread->records[region] != nullptr;
      if (!registry.add_record(*this_thread, region))
        registry.count_no_memory();
      else if (!known)
        this_thread->records[region]->is_gate = registry.is_gate(region);
      return this_thread;
    }
    const std::uint32_t state = detail::regions_state();
    if (Thread* const begun = begin_thread(region)) return begun;
    this_thread = &no_thread;
    if (!is_on_since(state, detail::regions_state())) return nullptr;
  } catch (...) {  // std::bad_alloc
    this_thread = &no_thread;
  }
  begin_unmeasured();
  return nullptr;
}

[[gnu::noinline, gnu::cold]] void add_first(Thread& thread, const Frame& frame,
                                            std::size_t quantity, std::uint64_t value) noexcept {
  frame.record->add_first(quantity, value);
  if (!frame.record->is_full()) return;
  const PauseRegions pause(thread);
  Registry::get().add_sketches(thread, frame.region);
}

void obey_requests() noexcept {
  const std::uint32_t requests = take_requests();
  if ((requests & kAskOff) != 0) regions_off();
  if ((requests & kAskOn) != 0) regions_on();
  if ((requests & kAskReport) != 0) hand_over_outside_of_regions();
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
  else if (always_on())
    Registry::get().count_unmatched();
  else
    Registry::get().count_perhaps_unmatched();
}

}  // namespace tacho::caliper

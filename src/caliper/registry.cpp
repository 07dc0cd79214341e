// The registry, its lock, and what happens to it at a fork.
#include "caliper/registry.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/file.hpp"
#include "caliper/at_exit.hpp"
#include "caliper/plan_counting.hpp"
#include "caliper/region_control.hpp"
#include "caliper/region_gate.hpp"
#include "caliper/region_switch.hpp"

namespace tacho::caliper {
namespace {

constinit Published<Registry> the_registry;

// 101 is the first one to run: before the program's static objects are constructed, and before it
// has threads. So no thread makes the registry while another one forks.
[[gnu::constructor(101)]] void at_start() {
  Registry::get();
  ::pthread_atfork(Registry::before_fork, Registry::after_fork_in_parent,
                   Registry::after_fork_in_child);
}

ThreadTrace copy_of_trace(const Thread& thread) {
  ThreadTrace copy;
  const auto executions = thread.trace->room.executions();
  copy.thread_id = thread.trace->thread_id;
  copy.cost = thread.cost.inside;
  copy.executions.assign(executions.begin(), executions.end());
  for (std::uint32_t region = 0; region < thread.size; ++region) {
    if (thread.records[region] == nullptr) continue;
    const std::uint32_t left_out = thread.records[region]->left_out_of_trace.get();
    if (left_out != 0) copy.one_of.emplace(region, left_out + 1);
  }
  return copy;
}

constexpr const char* kScope = "TACHO_REGIONS_SCOPE";

// The scope that the environment asks for, or `given`.
CountScope scope_or(CountScope given) {
  const char* const asked = ::secure_getenv(kScope);
  if (asked == nullptr || *asked == '\0') return given;
  if (asked == std::string_view("children")) return CountScope::with_children;
  if (asked == std::string_view("thread")) return CountScope::this_thread;
  say_wrong(kScope, asked,
            {.what = "there is no such scope", .remedy = "set it to thread or children"},
            "each thread counts by itself");
  return CountScope::this_thread;
}

// Of a thread of this process; empty if it has ended.
std::string thread_name(std::int32_t id) {
  return first_line(fmt::format("/proc/self/task/{}/comm", id));
}

}  // namespace

Registry& Registry::get() {
  return the_registry.get([] { return Registry(); });
}

std::uint32_t Registry::number_of(std::string_view name) noexcept {
  try {
    read_variables();
    const std::lock_guard lock(mutex_);
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    const auto number = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    try {
      numbers_.emplace(name, number);
    } catch (...) {
      names_.pop_back();
      throw;
    }
    if (caliper::is_gate(name)) gate_.store(number, std::memory_order_relaxed);
    return number;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

RegionSite& Registry::site_of(std::string_view name) {
  auto made = std::make_unique<NamedSite>(name);
  const std::lock_guard lock(mutex_);
  return sites_.try_emplace(made->name, std::move(made)).first->second->site;
}

bool Registry::knows(std::uint32_t region) {
  const std::lock_guard lock(mutex_);
  return region < names_.size();
}

std::string Registry::name_of(std::uint32_t region) {
  const std::lock_guard lock(mutex_);
  return names_.at(region);
}

void Registry::say_unknown_events() const {
  const char* const list = ::secure_getenv("TACHO_REGIONS_EVENTS");
  if (list == nullptr) return;
  for (const std::size_t event : known_counting()->unknown)
    if (const auto& why = known_counting()->refused[event])
      say_wrong("TACHO_REGIONS_EVENTS", list,
                {.what = "'" + known_counting()->events[event].name + "': " + why->what,
                 .remedy = why->remedy},
                "the others are counted");
}

bool Registry::choose_events(const std::vector<std::string>& events, CountScope scope) {
  if (counting_.known() != nullptr) return false;
  constexpr timespec kNap{0, 100'000};
  while (planning_.test_and_set(std::memory_order_acquire)) ::nanosleep(&kNap, nullptr);
  bool chosen = false;
  try {
    counting_.get([&] {
      chosen = true;
      const char* const list = ::secure_getenv("TACHO_REGIONS_EVENTS");
      return plan_counting(list != nullptr ? names_in(list) : events, scope_or(scope));
    });
  } catch (...) {  // std::bad_alloc
    planning_.clear(std::memory_order_release);
    throw;
  }
  planning_.clear(std::memory_order_release);
  if (chosen) say_unknown_events();
  return chosen;
}

const CountingPlan& Registry::counting() {
  if (counting_.known() == nullptr) choose_events({}, CountScope::this_thread);
  return *counting_.known();
}

const CountingPlan* Registry::known_counting() const noexcept {
  return counting_.known();
}

void Registry::add(Thread* thread) {
  const std::lock_guard lock(mutex_);
  threads_.push_back(thread);
}

std::uint32_t Registry::path_child(Paths& paths, std::uint32_t parent,
                                   std::uint32_t region) noexcept {
  const std::lock_guard lock(mutex_);
  return paths.child(parent, region);
}

void Registry::exchange(ExecutionRoom& room, ExecutionRoom& other) noexcept {
  const std::lock_guard lock(mutex_);
  room.swap(other);
}

void Registry::make_place(TurnSeries& series, std::uint32_t round) noexcept {
  const std::lock_guard lock(mutex_);
  while (!series.has_place(round)) series.fold();
}

// A report finds each record either in the thread or among the ended ones.
void Registry::retire_record(Thread& thread, std::uint32_t region,
                             const std::optional<Error>& doubt) noexcept {
  Record* const record = thread.records[region];
  if (record == nullptr) return;
  try {
    auto sum = std::make_unique<Totals>();
    const std::lock_guard lock(mutex_);
    if (ended_.size() <= region) ended_.resize(names_.size());
    std::unique_ptr<Totals>& known = ended_[region];
    if (known != nullptr) *sum = *known;
    sum->add(*record, thread, doubt);
    known.swap(sum);
    thread.records[region] = nullptr;
  } catch (const std::bad_alloc&) {
    // The figures are lost, and the program goes on. The report says so.
    const std::lock_guard lock(mutex_);
    no_memory_.fetch_add(record->begun.get(), std::memory_order_relaxed);
    thread.records[region] = nullptr;
  }
}

// A report finds the executions either in the thread or among the ended ones.
void Registry::retire_trace(Thread& thread) noexcept {
  if (thread.trace == nullptr || thread.trace->room.executions().empty()) return;
  try {
    std::list<ThreadTrace> ended;
    ended.push_back(copy_of_trace(thread));
    ended.back().thread_name = thread_name(thread.trace->thread_id);
    keep_room_for(ended.back());
    std::unique_ptr<Trace> trace;
    const std::lock_guard lock(mutex_);
    ended_traces_.splice(ended_traces_.end(), ended);
    trace.swap(thread.trace);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
    // They are lost, and the program goes on. The file says how many executions it has.
  }
}

void Registry::retire(Thread* thread) noexcept {
  retire_trace(*thread);
  const auto doubt = thread->live != nullptr ? thread->live->doubt() : std::nullopt;
  for (std::uint32_t region = 0; region < thread->size; ++region)
    retire_record(*thread, region, doubt);
  {
    const std::lock_guard lock(mutex_);
    std::erase(threads_, thread);
    too_deep_ += thread->too_deep.get();
    try {
      ended_paths_.add(*thread->paths, thread->cost.inside);
    } catch (const std::bad_alloc&) {
      ended_paths_.leave_out(*thread->paths);
    }
  }
  delete thread;
}

bool Registry::enlarge(Thread& thread, std::uint32_t region) noexcept {
  std::size_t known = 0;
  {
    const std::lock_guard lock(mutex_);
    known = names_.size();
  }
  const auto size = static_cast<std::uint32_t>(std::max<std::size_t>(known, 16) * 2);
  auto* larger = new (std::nothrow) Record*[size]();
  if (larger == nullptr || region >= size) {
    delete[] larger;
    return false;
  }
  std::copy_n(thread.records, thread.size, larger);
  {
    const std::lock_guard lock(mutex_);
    std::swap(thread.records, larger);
    thread.size = size;
  }
  delete[] larger;
  return true;
}

void Registry::add_sketches(Thread& thread, std::uint32_t region) noexcept {
  Record* const full = thread.records[region];
  Record* const larger = move_to_sketches(*full);
  for (Frame& frame : thread.frames)
    if (frame.record == full) frame.record = larger;
  const std::lock_guard lock(mutex_);
  thread.records[region] = larger;
}

bool Registry::add_record(Thread& thread, std::uint32_t region) noexcept {
  if (region >= thread.size && !enlarge(thread, region)) return false;
  if (thread.records[region] != nullptr) return true;
  const bool turns = thread.live != nullptr && thread.live->takes_turns();
  const std::size_t events = thread.live == nullptr ? 0 : known_counting()->requested;
  Record* const record = thread.room.make(static_cast<std::uint32_t>(events), turns);
  const std::lock_guard lock(mutex_);
  thread.records[region] = record;
  return record != nullptr;
}

void Registry::add_sketches(Note& note) noexcept {
  Record* const larger = move_to_sketches(*note.values);
  const std::lock_guard lock(mutex_);
  note.values = larger;
}

// Behind the others, so that the order is that of the first notes.
void Registry::add(Note& note, Record& record) noexcept {
  Note** end = &record.notes;
  while (*end != nullptr) end = &(*end)->next;
  const std::lock_guard lock(mutex_);
  *end = &note;
}

std::uint32_t Registry::regions() {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint32_t>(names_.size() - 1);
}

Totals Registry::totals_of(std::uint32_t region) {
  const std::lock_guard lock(mutex_);
  Totals totals;
  if (region < ended_.size() && ended_[region] != nullptr) totals = *ended_[region];
  for (const Thread* thread : threads_) {
    const Record* const record = region < thread->size ? thread->records[region] : nullptr;
    if (record == nullptr) continue;
    totals.add(*record, *thread, thread->live != nullptr ? thread->live->doubt() : std::nullopt);
  }
  return totals;
}

PathTotals Registry::paths() {
  const std::lock_guard lock(mutex_);
  PathTotals totals = ended_paths_;
  for (const Thread* thread : threads_) totals.add(*thread->paths, thread->cost.inside);
  return totals;
}

std::vector<ThreadTrace> Registry::take_traces() {
  std::vector<ThreadTrace> all;
  {
    const std::lock_guard lock(mutex_);
    for (ThreadTrace& ended : ended_traces_) all.push_back(std::move(ended));
    ended_traces_.clear();
    for (const Thread* thread : threads_)
      if (thread->trace != nullptr) all.push_back(copy_of_trace(*thread));
  }
  for (ThreadTrace& trace : all)
    if (trace.thread_name.empty()) trace.thread_name = thread_name(trace.thread_id);
  return all;
}

Registry::Unmeasured Registry::unmeasured() {
  const std::lock_guard lock(mutex_);
  Unmeasured all{.unmatched = unmatched_.load(std::memory_order_relaxed),
                 .perhaps_unmatched = perhaps_unmatched_.load(std::memory_order_relaxed),
                 .too_deep = too_deep_,
                 .no_memory = no_memory_.load(std::memory_order_relaxed)};
  for (const Thread* thread : threads_) all.too_deep += thread->too_deep.get();
  return all;
}

void Registry::before_fork() {
  get().mutex_.lock();
}

void Registry::after_fork_in_parent() {
  get().mutex_.unlock();
}

// The child has only the calling thread, and its figures start at zero. The parent reports what was
// measured and what was running before. The data of other threads is not touched, because the state
// of their locks and of the allocator is unknown.
void Registry::after_fork_in_child() {
  Registry& registry = get();
  registry.mutex_.unlock();
  registry.planning_.clear();
  forget_gate();
  take_requests();  // they are the parent's
  restart_on_time();
  forget_handing_over();
  registry.ended_.clear();
  registry.ended_paths_ = {};
  registry.ended_traces_.clear();
  forget_all_traces();
  registry.unmatched_ = 0;
  registry.perhaps_unmatched_ = 0;
  registry.no_memory_ = 0;
  registry.too_deep_ = 0;
  std::erase_if(registry.threads_, [](const Thread* thread) { return thread != this_thread; });
  for (Thread* thread : registry.threads_) {
    for (std::uint32_t region = 0; region < thread->size; ++region)
      if (thread->records[region] != nullptr) clear_record(thread->records[region]);
    for (const auto& note : thread->notes) note->clear();
    const std::uint32_t depth = std::min<std::uint32_t>(thread->depth, Thread::kMaxDepth);
    for (std::uint32_t i = 0; i < depth; ++i) {
      Frame& frame = thread->frames[i];
      frame.record = nullptr;
      frame.inner = {};
      frame.measured = false;
      frame.counted = false;
    }
    thread->too_deep.set(0);
    thread->paths->clear();
    if (thread->trace != nullptr) thread->trace->restart();
    if (thread->live != nullptr) {
      thread->live->forget_pages();
      thread->forked = true;
      thread->real_size = std::exchange(thread->size, 0);
    }
  }
  // Reports must not include the thread before it has opened counters of its own.
  std::erase_if(registry.threads_, [](const Thread* thread) { return thread->forked; });
}

}  // namespace tacho::caliper

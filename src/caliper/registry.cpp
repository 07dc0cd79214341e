// The registry, its locks, and what happens to it at a fork.
#include "caliper/registry.hpp"
#include "caliper/plan_counting.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "caliper/at_exit.hpp"

namespace tacho::caliper {

Registry& Registry::get() {
  static Registry& registry = *new Registry;
  return registry;
}

Registry::Registry() {
  names_.emplace_back();  // number 0 is no region
  ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  report_at_exit();
}

std::uint32_t Registry::number_of(std::string_view name) noexcept {
  try {
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
    return number;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

bool Registry::knows(std::uint32_t region) {
  const std::lock_guard lock(mutex_);
  return region < names_.size();
}

std::string Registry::name_of(std::uint32_t region) {
  const std::lock_guard lock(mutex_);
  return names_.at(region);
}

void Registry::choose_events_locked(const std::vector<std::string>& events) {
  const char* const list = ::secure_getenv("TACHO_REGIONS_EVENTS");
  counting_ = plan_counting(list != nullptr ? names_in(list) : events, CountScope::this_thread);
}

const CountingPlan& Registry::counting() {
  const std::lock_guard lock(mutex_);
  if (!counting_) choose_events_locked({});
  return *counting_;
}

bool Registry::choose_events(const std::vector<std::string>& events) {
  const std::lock_guard lock(mutex_);
  if (counting_) return false;
  choose_events_locked(events);
  return true;
}

void Registry::add(Thread* thread) {
  const std::lock_guard lock(mutex_);
  threads_.push_back(thread);
}

void Registry::make_place(TurnSeries& series, std::uint32_t round) noexcept {
  const std::lock_guard lock(mutex_);
  while (!series.has_place(round)) series.fold();
}

void Registry::retire(Thread* thread) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    std::erase(threads_, thread);
    add_thread(ended_, *thread);
    too_deep_ += thread->too_deep.get();
  } catch (const std::bad_alloc&) {
    // The thread's figures are lost, and the program goes on. The report says so.
    for (std::uint32_t region = 0; region < thread->size; ++region)
      if (const Record* const record = thread->records[region])
        no_memory_.fetch_add(record->begun.get(), std::memory_order_relaxed);
  }
  delete thread;
}

bool Registry::add_record(Thread& thread, std::uint32_t region) noexcept {
  const std::lock_guard lock(mutex_);
  if (region >= thread.size) {
    const auto size = static_cast<std::uint32_t>(std::max<std::size_t>(names_.size(), 16) * 2);
    auto* const larger = new (std::nothrow) Record*[size]();
    if (larger == nullptr) return false;
    std::copy_n(thread.records, thread.size, larger);
    delete[] thread.records;
    thread.records = larger;
    thread.size = size;
  }
  if (thread.records[region] == nullptr) {
    const bool turns = thread.live != nullptr && thread.live->takes_turns();
    const std::size_t events = thread.live == nullptr ? 0 : counting_->requested;
    thread.records[region] = make_record(static_cast<std::uint32_t>(events), turns);
  }
  return thread.records[region] != nullptr;
}

void Registry::add_thread(std::vector<Totals>& all, const Thread& thread) {
  if (all.size() < thread.size) all.resize(thread.size);
  const auto doubt = thread.live != nullptr ? thread.live->doubt() : std::nullopt;
  for (std::uint32_t region = 0; region < thread.size; ++region)
    if (thread.records[region] != nullptr) all[region].add(*thread.records[region], thread, doubt);
}

Registry::Merged Registry::merged() {
  const std::lock_guard lock(mutex_);
  Merged all{.names = names_,
             .totals = ended_,
             .counting = counting_,
             .unmatched = unmatched_.load(std::memory_order_relaxed),
             .too_deep = too_deep_,
             .no_memory = no_memory_.load(std::memory_order_relaxed)};
  for (const Thread* thread : threads_) {
    add_thread(all.totals, *thread);
    all.too_deep += thread->too_deep.get();
  }
  all.totals.resize(names_.size());
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
  registry.ended_.clear();
  registry.unmatched_ = 0;
  registry.no_memory_ = 0;
  registry.too_deep_ = 0;
  std::erase_if(registry.threads_, [](const Thread* thread) { return thread != this_thread; });
  for (Thread* thread : registry.threads_) {
    for (std::uint32_t region = 0; region < thread->size; ++region)
      if (thread->records[region] != nullptr) clear_record(thread->records[region]);
    const std::uint32_t depth = std::min<std::uint32_t>(thread->depth, Thread::kMaxDepth);
    for (std::uint32_t i = 0; i < depth; ++i) {
      thread->frames[i] = {.region = thread->frames[i].region};
    }
    thread->too_deep.set(0);
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

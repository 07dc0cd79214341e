#include "caliper/owner.hpp"

#include <pthread.h>

namespace tacho::caliper {

constinit thread_local std::uint64_t Owner::here = 0;
std::atomic<std::uint64_t> Owner::threads{0};
std::atomic<std::uint32_t> Owner::forks{0};

void Owner::number_thread() noexcept {
  here = threads.fetch_add(1, std::memory_order_relaxed) + 1;
}

[[gnu::constructor]] static void watch_forks() {
  ::pthread_atfork(nullptr, nullptr, Owner::after_fork_in_child);
}

// In the child of a fork, the calling thread is a new thread and gets a new number.
void Owner::after_fork_in_child() noexcept {
  forks.fetch_add(1, std::memory_order_relaxed);
  if (here != 0) number_thread();
}

Owner::Owner() : forks_(forks.load(std::memory_order_relaxed)) {
  if (here == 0) number_thread();
  thread_ = here;
}

}  // namespace tacho::caliper

#include "caliper/owner.hpp"

#include <pthread.h>

namespace tacho::caliper {

constinit thread_local std::uint64_t Owner::here = 0;
std::atomic<std::uint64_t> Owner::threads{0};
std::atomic<std::uint32_t> Owner::forks{0};

void Owner::number_thread() noexcept {
  here = threads.fetch_add(1, std::memory_order_relaxed) + 1;
}

Owner::Owner() : forks_(forks.load(std::memory_order_relaxed)) {
  // In the child of a fork, the calling thread is a new thread and gets a new number.
  static const int noticed = ::pthread_atfork(nullptr, nullptr, [] {
    forks.fetch_add(1, std::memory_order_relaxed);
    number_thread();
  });
  (void)noticed;
  if (here == 0) number_thread();
  thread_ = here;
}

}  // namespace tacho::caliper

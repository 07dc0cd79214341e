// Guards accesses to registers that may be refused. While an object of cpu_registers() lives, a
// guarded access that raises SIGILL is skipped and noted.
#pragma once

namespace tacho::arm {

#if defined(__arm__) || defined(__aarch64__)

// One thread's state, which its signal handler reads and writes.
struct Guard {
  volatile int accessing = 0;
  volatile int refused = 0;
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Guard guard;

class Guarded {
 public:
  [[gnu::always_inline]] Guarded() noexcept { guard.accessing = 1; }
  [[gnu::always_inline]] ~Guarded() { guard.accessing = 0; }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  // Whether an access of this thread was refused since the last call.
  [[gnu::always_inline]] static bool was_refused() noexcept {
    if (guard.refused == 0) [[likely]]
      return false;
    guard.refused = 0;
    return true;
  }
};

#endif

}  // namespace tacho::arm

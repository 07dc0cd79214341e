// Accesses to registers that may be refused: while cpu_registers() lives, one that raises SIGILL
// under a guard is passed over and noted.
#pragma once

namespace tacho::arm {

#if defined(__arm__) || defined(__aarch64__)

// Of a thread, and its signal handler's.
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

  // Whether an access of this thread's was refused since the last call.
  [[gnu::always_inline]] static bool was_refused() noexcept {
    if (guard.refused == 0) [[likely]]
      return false;
    guard.refused = 0;
    return true;
  }
};

#endif

}  // namespace tacho::arm

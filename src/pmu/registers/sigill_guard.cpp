#include "pmu/registers/sigill_guard.hpp"

namespace tacho::arm {

#if defined(__arm__) || defined(__aarch64__)
constinit thread_local Guard guard;
#endif

}  // namespace tacho::arm

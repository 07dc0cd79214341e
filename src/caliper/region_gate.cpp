#include "caliper/region_gate.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string_view>

#include "caliper/control_socket.hpp"
#include "caliper/no_cancel.hpp"
#include "caliper/process_lock.hpp"

namespace tacho::caliper {
namespace {

// What `tacho` gives: the name of its socket, and the region.
struct Asked {
  std::string_view socket;
  std::string_view region;
};
Asked asked() noexcept {
  const auto [socket, region] = from_tacho("TACHO_IN_REGION");
  return {.socket = socket, .region = region};
}

// Threads that enter or leave take turns, so that none goes on before tacho counts.
constinit ProcessLock gate_lock;
constinit std::size_t inside = 0;  // threads that run the region
constinit ControlSocket gate_socket;
constinit bool given_up = false;

void tell(std::string_view command) noexcept {
  const int code = errno;  // a region does not change it
  const NoCancel all;
  if (!given_up && !gate_socket.tell(asked().socket, command)) {
    given_up = true;
    gate_socket.close();  // tacho takes this for the end of the region
  }
  errno = code;
}

}  // namespace

bool is_gate(std::string_view region) noexcept {
  const Asked by_tacho = asked();
  return !by_tacho.socket.empty() && by_tacho.region == region;
}

void enter_gate() noexcept {
  const ProcessLock::Turn turn(gate_lock);
  if (inside++ == 0) tell("enable\n");
}

void leave_gate() noexcept {
  const ProcessLock::Turn turn(gate_lock);
  if (--inside == 0) tell("disable\n");
}

void leave_gate_with(const Thread& thread) noexcept {
  const std::size_t depth = std::min<std::size_t>(thread.depth, Thread::kMaxDepth);
  for (const Frame& frame : std::span(thread.frames).first(depth))
    if (frame.measured && frame.record != nullptr && frame.record->is_gate) leave_gate();
}

void forget_gate() noexcept {
  inside = 0;
  gate_socket.close();
}

}  // namespace tacho::caliper

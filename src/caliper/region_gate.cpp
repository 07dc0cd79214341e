#include "caliper/region_gate.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

#include "base/abstract_address.hpp"
#include "base/fd.hpp"
#include "caliper/no_cancel.hpp"

namespace tacho::caliper {
namespace {

// How long tacho may take to obey. It is awake and has nothing else to do, so a longer time means
// that it was stopped or killed.
constexpr timeval kPatience{.tv_sec = 2, .tv_usec = 0};

constexpr std::string_view kObeyed = "ack\n";

// What `tacho` gives: the name of its socket, and the region.
struct Asked {
  std::string_view socket;
  std::string_view region;
};
Asked asked() noexcept {
  const char* const given = ::secure_getenv("TACHO_IN_REGION");
  const std::string_view text = given == nullptr ? "" : given;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  return {.socket = text.substr(0, colon), .region = text.substr(colon + 1)};
}

// Threads that enter or leave take turns, so that none goes on before tacho counts.
constinit std::atomic_flag busy;
constinit std::size_t inside = 0;  // threads that run the region
// The socket, with its inode: a program may close all its descriptors, and use the number again.
constinit int connection = -1;
constinit ino_t inode = 0;
constinit bool given_up = false;

// No mutex: the child of a fork could not free one that another thread holds.
class Turn {
 public:
  Turn() {
    while (busy.test_and_set(std::memory_order_acquire)) busy.wait(true, std::memory_order_relaxed);
  }
  ~Turn() {
    busy.clear(std::memory_order_release);
    busy.notify_one();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};

bool is_connected() noexcept {
  struct stat file{};
  return connection >= 0 && ::fstat(connection, &file) == 0 && S_ISSOCK(file.st_mode) &&
         file.st_ino == inode;
}

// Returns false if tacho has gone.
bool connect_to_tacho() noexcept {
  const std::string_view name = asked().socket;
  if (name.empty()) return false;
  const AbstractAddress address(name);
  Fd made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  struct stat file{};
  if (!made || ::connect(made.get(), address.get(), address.size()) != 0 ||
      ::setsockopt(made.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience) != 0 ||
      ::fstat(made.get(), &file) != 0)
    return false;
  inode = file.st_ino;
  connection = made.release();
  return true;
}

bool exchange(std::string_view command) noexcept {
  if (!is_connected() && !connect_to_tacho()) return false;
  if (::send(connection, command.data(), command.size(), MSG_NOSIGNAL) < 0) return false;
  std::array<char, 8> answer{};
  ssize_t got = 0;
  do got = ::recv(connection, answer.data(), answer.size(), 0);
  while (got < 0 && errno == EINTR);
  return got > 0 &&
         std::string_view(answer.data(), static_cast<std::size_t>(got)).starts_with(kObeyed);
}

void close_connection() noexcept {
  if (is_connected()) Fd(connection).reset();
  connection = -1;
}

void tell(std::string_view command) noexcept {
  const int code = errno;  // a region does not change it
  const NoCancel all;
  if (!given_up && !exchange(command)) {
    given_up = true;
    close_connection();  // tacho takes this for the end of the region
  }
  errno = code;
}

}  // namespace

bool is_gate(std::string_view region) noexcept {
  const Asked by_tacho = asked();
  return !by_tacho.socket.empty() && by_tacho.region == region;
}

void enter_gate() noexcept {
  const Turn turn;
  if (inside++ == 0) tell("enable\n");
}

void leave_gate() noexcept {
  const Turn turn;
  if (--inside == 0) tell("disable\n");
}

void leave_gate_with(const Thread& thread) noexcept {
  const std::size_t depth = std::min<std::size_t>(thread.depth, Thread::kMaxDepth);
  for (const Frame& frame : std::span(thread.frames).first(depth))
    if (frame.measured && frame.record != nullptr && frame.record->is_gate) leave_gate();
}

void forget_gate() noexcept {
  busy.clear();
  inside = 0;
  close_connection();
}

}  // namespace tacho::caliper

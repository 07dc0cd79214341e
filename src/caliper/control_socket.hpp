// The connection to the tacho that launched this process: over it the process turns counting on and
// off (process/counting_control.hpp).
#pragma once

#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>

#include <string_view>

namespace tacho::caliper {

// How long tacho may take to obey. It is awake and has nothing else to do, so a longer time means
// that it was stopped or killed.
inline constexpr timeval kPatience{.tv_sec = 2, .tv_usec = 0};

inline constexpr std::string_view kObeyed = "ack\n";  // its answer

// A variable that tacho sets for the commands that it launches: FIRST:REST. Both are empty if it is
// not set, or if the program has more rights than its user.
struct FromTacho {
  std::string_view first;
  std::string_view rest;
};
FromTacho from_tacho(const char* variable) noexcept;

// A constant at the program's start. Not thread-safe.
class ControlSocket {
 public:
  // Sends a command to the socket of this name, and waits until tacho has obeyed. Returns false if
  // tacho has gone or does not answer. A child of a fork makes a connection of its own.
  bool tell(std::string_view socket_name, std::string_view command) noexcept;
  void close() noexcept;

 private:
  bool is_open() const noexcept;
  bool connect(std::string_view socket_name) noexcept;

  // With its inode: a program may close all its descriptors, and use the number again.
  int descriptor_ = -1;
  ino_t inode_ = 0;
  pid_t process_ = 0;
};

}  // namespace tacho::caliper

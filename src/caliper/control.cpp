// tacho::control(): a command in the protocol of perf's --control, over the channel that tacho has
// named in the environment.
#include "tacho/control.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/parse_number.hpp"
#include "caliper/control_socket.hpp"
#include "caliper/no_cancel.hpp"
#include "caliper/process_lock.hpp"
#include "tacho/tacho.h"

namespace tacho::caliper {
namespace {

constinit ProcessLock control_lock;
constinit ControlSocket control_socket;

// "KIND:COMMANDS[,ANSWERS]"
struct Channel {
  std::string_view kind;
  std::string_view commands;
  std::string_view answers;
};
Channel channel_of_environment() noexcept {
  const auto [kind, rest] = from_tacho("TACHO_CONTROL");
  const std::size_t comma = rest.find(',');
  return {.kind = kind,
          .commands = rest.substr(0, comma),
          .answers = comma == std::string_view::npos ? "" : rest.substr(comma + 1)};
}

// Whether both are channels: a command is not to be written into a file of the user.
bool are_channels(int commands, int answers) noexcept {
  const auto is_channel = [](int descriptor) {
    struct stat file{};
    return ::fstat(descriptor, &file) == 0 && (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode));
  };
  return is_channel(commands) && (answers < 0 || is_channel(answers));
}

// Writes the command, and waits for the answer if there is a descriptor for it. Other processes may
// share the channel: each takes as many answers as it has sent commands.
bool exchange(int commands, int answers, std::string_view command) noexcept {
  if (!are_channels(commands, answers)) return false;
  if (::write(commands, command.data(), command.size()) != static_cast<ssize_t>(command.size()))
    return false;
  if (answers < 0) return true;
  constexpr std::size_t kAnswer = kObeyed.size() + 1;  // a zero byte follows
  std::array<char, kAnswer> answer{};
  std::size_t got = 0;
  while (got < kAnswer) {
    pollfd polled{.fd = answers, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&polled, 1, static_cast<int>(1000 * kPatience.tv_sec));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t read = ::read(answers, answer.data() + got, kAnswer - got);
    if (read < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (read <= 0) return false;
    got += static_cast<std::size_t>(read);
  }
  return std::string_view(answer.data(), kObeyed.size()) == kObeyed;
}

bool exchange_by_descriptors(const Channel& channel, std::string_view command) noexcept {
  const auto commands = parse_number<int>(channel.commands);
  const auto answers = parse_number<int>(channel.answers);
  return commands && exchange(*commands, answers.value_or(-1), command);
}

bool exchange_by_fifos(const Channel& channel, std::string_view command) {
  constexpr int kFlags = O_NONBLOCK | O_CLOEXEC;
  const Fd commands(::open(std::string(channel.commands).c_str(), O_WRONLY | kFlags));
  const Fd answers(channel.answers.empty()
                       ? -1
                       : ::open(std::string(channel.answers).c_str(), O_RDONLY | kFlags));
  if (!commands || (!channel.answers.empty() && !answers)) return false;
  return exchange(commands.get(), answers.get(), command);
}

bool send_command(std::string_view command) {
  const Channel channel = channel_of_environment();
  if (channel.kind == "program") return control_socket.tell(channel.commands, command);
  if (channel.kind == "fd") return exchange_by_descriptors(channel, command);
  return channel.kind == "fifo" && exchange_by_fifos(channel, command);
}

bool tell_counting(bool on) noexcept {
  const int code = errno;
  const NoCancel all;
  const ProcessLock::Turn turn(control_lock);
  bool obeyed = false;
  try {
    obeyed = send_command(on ? "enable\n" : "disable\n");
  } catch (...) {  // memory ran out
    obeyed = false;
  }
  if (!obeyed) control_socket.close();
  errno = code;
  return obeyed;
}

}  // namespace
}  // namespace tacho::caliper

bool tacho::v0::control(Counting counting) noexcept {
  return caliper::tell_counting(counting == Counting::on);
}

bool tacho_control(bool on) {
  return tacho::control(on ? tacho::Counting::on : tacho::Counting::off);
}

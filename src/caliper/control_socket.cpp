#include "caliper/control_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include "base/abstract_address.hpp"
#include "base/fd.hpp"

namespace tacho::caliper {

FromTacho from_tacho(const char* variable) noexcept {
  const char* const given = ::secure_getenv(variable);
  const std::string_view text = given == nullptr ? "" : given;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  return {.first = text.substr(0, colon), .rest = text.substr(colon + 1)};
}

bool ControlSocket::is_open() const noexcept {
  struct stat file{};
  return descriptor_ >= 0 && ::fstat(descriptor_, &file) == 0 && S_ISSOCK(file.st_mode) &&
         file.st_ino == inode_;
}

bool ControlSocket::connect(std::string_view socket_name) noexcept {
  close();
  if (socket_name.empty()) return false;
  const AbstractAddress address(socket_name);
  Fd made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  struct stat file{};
  if (!made || ::connect(made.get(), address.get(), address.size()) != 0 ||
      ::setsockopt(made.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience) != 0 ||
      ::fstat(made.get(), &file) != 0)
    return false;
  inode_ = file.st_ino;
  process_ = ::getpid();
  descriptor_ = made.release();
  return true;
}

bool ControlSocket::tell(std::string_view socket_name, std::string_view command) noexcept {
  const bool is_own = process_ == ::getpid() && is_open();
  if (!is_own && !connect(socket_name)) return false;
  if (::send(descriptor_, command.data(), command.size(), MSG_NOSIGNAL) < 0) return false;
  std::array<char, 8> answer{};
  ssize_t got = 0;
  do got = ::recv(descriptor_, answer.data(), answer.size(), 0);
  while (got < 0 && errno == EINTR);
  return got > 0 &&
         std::string_view(answer.data(), static_cast<std::size_t>(got)).starts_with(kObeyed);
}

void ControlSocket::close() noexcept {
  if (is_open()) Fd(descriptor_).reset();
  descriptor_ = -1;
}

}  // namespace tacho::caliper

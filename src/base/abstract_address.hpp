// The address of a Unix socket in the abstract namespace: a name that needs no file.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tacho {

class AbstractAddress {
 public:
  // A name that is too long is cut.
  explicit AbstractAddress(std::string_view name) noexcept
      : size_(static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                     std::min(name.size(), kLongest))) {
    address_.sun_family = AF_UNIX;
    std::ranges::copy(name.substr(0, kLongest), &address_.sun_path[1]);
  }
  // For bind(2) and connect(2).
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t kLongest = sizeof(sockaddr_un::sun_path) - 1;

  sockaddr_un address_{};
  socklen_t size_;
};

}  // namespace tacho

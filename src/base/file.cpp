#include "base/file.hpp"

#include <fcntl.h>

#include <array>
#include <cerrno>

#include "base/fd.hpp"

namespace tacho {
namespace {

std::string quoted(std::string_view doing, std::string_view name) {
  return std::string(doing) + " '" + std::string(name) + "'";
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return os_failure(quoted("cannot open", path), errno);
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_failure(quoted("cannot read", path), errno);
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > limit)
      return failure(quoted("file too long:", path) + " has more than " + std::to_string(limit) +
                     " bytes");
  }
}

std::string first_line(const std::string& path) {
  auto text = read_file(path);
  if (!text) return {};
  return text->substr(0, text->find('\n'));
}

Result<void> write_all(int fd, std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return os_failure(quoted("cannot write", name), errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return {};
}

}  // namespace tacho

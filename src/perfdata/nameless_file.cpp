#include "perfdata/nameless_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

namespace tacho::perfdata {

Result<Fd> nameless_file() {
  const char* const chosen = std::getenv("TMPDIR");
  std::string path =
      std::string(chosen != nullptr && *chosen != 0 ? chosen : "/tmp") + "/tacho-XXXXXX";
  Fd file(::mkostemp(path.data(), O_CLOEXEC));
  if (!file)
    return os_failure(fmt::format("cannot make a temporary file '{}'", path), errno,
                      "TMPDIR names another directory");
  ::unlink(path.c_str());
  return file;
}

Result<void> append(const Fd& file, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      return os_failure("cannot write the recording into a temporary file", errno,
                        "TMPDIR names another directory");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<Fd> copy_of_standard_input() {
  Fd file = TACHO_TRY(nameless_file());
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::vector<std::byte> piece(kPiece);
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_failure("cannot read standard input", errno);
    if (got == 0) return file;
    TACHO_TRY(append(file, Bytes(piece).first(static_cast<std::size_t>(got))));
  }
}

}  // namespace tacho::perfdata

#include "perfdata/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace tacho::perfdata {
namespace {

// Like pread(2), or like read(2) without an offset. Repeats calls that a signal interrupted.
ssize_t read_some(int fd, std::byte* into, std::size_t count,
                  const std::optional<std::uint64_t>& offset) {
  ssize_t got = -1;
  do {
    got = offset ? ::pread(fd, into, count, static_cast<off_t>(*offset)) : ::read(fd, into, count);
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

Input::Input(Fd owned, int fd, std::string name)
    : owned_(std::move(owned)),
      fd_(fd),
      name_(std::move(name)),
      end_(std::numeric_limits<std::uint64_t>::max()) {}

Result<Input> Input::open(const std::string& path) {
  const bool standard = path == "-";
  Fd owned(standard ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string quoted = standard ? "standard input" : "'" + path + "'";
  if (!standard && !owned) return os_failure("cannot open " + quoted, errno);
  const int fd = standard ? STDIN_FILENO : owned.get();
  struct stat status{};
  if (::fstat(fd, &status) != 0) return os_failure("cannot read " + quoted, errno);
  if (S_ISDIR(status.st_mode))
    return failure(
        quoted + " is a directory",
        "give a recording's file, or a directory of perf record --threads or --kcore: such a "
        "directory has a file called data");
  Input input(std::move(owned), fd, quoted);
  if (S_ISREG(status.st_mode)) {
    input.size_ = static_cast<std::uint64_t>(status.st_size);
    input.end_ = *input.size_;
  }
  return input;
}

Input Input::of_file(Fd file, std::uint64_t size, std::string name) {
  const int fd = file.get();
  Input input(std::move(file), fd, std::move(name));
  input.size_ = size;
  input.end_ = size;
  return input;
}

Result<std::size_t> Input::read_at(std::uint64_t offset, std::byte* into, std::size_t count) const {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = read_some(fd_, into + done, count - done, offset + done);
    if (got < 0) return os_failure("cannot read " + name_, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void Input::fill(std::size_t count) {
  if (!buffer_) {  // a directory can have very many small files
    capacity_ = static_cast<std::size_t>(std::min<std::uint64_t>(size_.value_or(kBuffer), kBuffer));
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(capacity_);
  }
  std::memmove(buffer_.get(), buffer_.get() + at_, filled_ - at_);
  filled_ -= at_;
  at_ = 0;
  while (filled_ < count && !error_) {
    const std::uint64_t from = offset_ + filled_;
    const std::size_t room =
        static_cast<std::size_t>(std::min<std::uint64_t>(capacity_ - filled_, end_ - from));
    if (room == 0) return;
    const ssize_t got =
        read_some(fd_, buffer_.get() + filled_, room, size_ ? std::optional(from) : std::nullopt);
    if (got < 0) error_ = os_error("cannot read " + name_, errno);
    if (got <= 0) return;
    filled_ += static_cast<std::size_t>(got);
  }
}

void Input::seek(std::uint64_t offset, std::uint64_t end) {
  at_ = filled_ = 0;
  offset_ = offset;
  end_ = std::max(offset, end);
}

std::vector<std::byte> Input::take_bytes(std::size_t count) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::vector<std::byte> taken;
  while (taken.size() < count) {
    const Bytes piece = peek(std::min(count - taken.size(), kPiece));
    if (piece.empty()) break;
    taken.insert(taken.end(), piece.begin(), piece.end());
    take(piece.size());
  }
  return taken;
}

bool Input::skip(std::uint64_t count) {
  if (size_ && count > filled_ - at_) {
    if (count > end_ - offset_) return false;
    seek(offset_ + count, end_);
    return true;
  }
  while (count > 0) {
    const std::size_t step =
        peek(static_cast<std::size_t>(std::min<std::uint64_t>(count, 1 << 16))).size();
    if (step == 0) return false;
    take(step);
    count -= step;
  }
  return true;
}

}  // namespace tacho::perfdata

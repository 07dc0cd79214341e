#include "report/output.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/file.hpp"

namespace tacho {
namespace {

// Bytes: more than a report needs. The rest is given back when the file is cut to its content.
constexpr off_t kReserved = 64 * 1024;

bool same_inode(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Pipes and devices can't be cut, and need not be.
void cut(int fd, off_t bytes) {
  [[maybe_unused]] const int status = ::ftruncate(fd, bytes);
}

}  // namespace

Result<Output> Output::to_file(const std::string& path) {
  if (path == "-") return to_stdout();
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  const bool created = static_cast<bool>(file);
  if (!file && errno == EEXIST)
    file = Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!file)
    return os_failure(fmt::format("cannot write '{}'", path), errno,
                      errno == ENOENT ? "create its directory first" : "choose another file");
  Output output(file.get(), path);
  output.file_ = std::move(file);
  output.created_ = created;
  // Devices and pipes have no space to reserve. Only a full disk matters here.
  if (::fallocate(output.fd_, FALLOC_FL_KEEP_SIZE, 0, kReserved) != 0 &&
      (errno == ENOSPC || errno == EDQUOT))
    return os_failure(fmt::format("cannot write '{}'", path), errno,
                      "make room, or choose another disk");
  return output;
}

Output::~Output() {
  struct stat mine{};
  struct stat named{};
  // Another program may have written (gnuplot does), or put another file there.
  if (file_ && created_ && fresh_ && ::fstat(fd_, &mine) == 0 && mine.st_size == 0 &&
      ::stat(name_.c_str(), &named) == 0 && same_inode(mine, named))
    ::unlink(name_.c_str());
}

Output Output::to_stdout() {
  return {STDOUT_FILENO, "standard output"};
}
Output Output::to_stderr() {
  return {STDERR_FILENO, "standard error"};
}

Result<void> Output::write(std::string_view text) {
  if (gone_) return {};
  if (file_ && fresh_) cut(fd_, 0);
  fresh_ = false;
  auto written = write_all(fd_, text, name_);
  if (written) {
    kept_ += static_cast<off_t>(text.size());
  } else {
    gone_ = true;
    if (file_) cut(fd_, kept_);
  }
  if (!written && written.error().code == EPIPE) return {};
  return written;
}

bool Output::same_file_as(const Output& other) const {
  struct stat mine{};
  struct stat its{};
  return ::fstat(fd_, &mine) == 0 && ::fstat(other.fd_, &its) == 0 && S_ISREG(mine.st_mode) &&
         same_inode(mine, its);
}

Result<void> check_different(std::span<const NamedOutput> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const auto& [one, first] = outputs[k];
      const auto& [other, second] = outputs[i];
      if (first->same_file_as(*second))
        return failure(fmt::format("{} and {} would go into the same file: '{}' and '{}'", one,
                                   other, first->name(), second->name()),
                       "give each a file of its own");
    }
  return {};
}

}  // namespace tacho

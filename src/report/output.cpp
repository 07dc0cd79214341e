#include "report/output.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "base/file.hpp"
#include "base/parse_number.hpp"
#include "base/safe_text.hpp"
#include "base/written_file.hpp"
#include "report/terminal.hpp"

namespace tacho {
namespace {

// The descriptor that a path of /dev names.
std::optional<int> descriptor_of(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder)) return parse_number<int>(path.substr(folder.size()));
  return std::nullopt;
}

// Bytes: more than a report needs. The rest is given back when the file is cut to its content.
constexpr off_t kReserved = 64 * 1024;
constexpr off_t kLeast = 1;  // byte: the file system rounds it up to a block
// Bytes: with less free, a file takes only a block in advance, because other files need some, too.
constexpr std::uint64_t kMuchRoom = 16 * kReserved;
constexpr mode_t kMode = 0666;  // without the bits of umask(2)

bool same_inode(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Pipes and devices can't be cut, and need not be.
void cut(int fd, off_t bytes) {
  [[maybe_unused]] const int status = ::ftruncate(fd, bytes);
}

std::unexpected<Error> cannot_write(const std::string& path, int code) {
  return os_failure(fmt::format("cannot write '{}'", path), code,
                    code == ENOENT ? "create its directory first" : "choose another file");
}

// Devices and pipes have no space to reserve. Only a full disk matters here.
Result<void> reserve(int fd, const std::string& path, off_t bytes) {
  if (::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, bytes) != 0 && (errno == ENOSPC || errno == EDQUOT))
    return os_failure(fmt::format("cannot write '{}'", path), errno,
                      "make room, or choose another disk");
  return {};
}

bool has_much_room(int fd) {
  struct statvfs disk{};
  return ::fstatvfs(fd, &disk) == 0 && disk.f_bavail * disk.f_frsize >= kMuchRoom;
}

// A disk with little room may still have enough for the text. Only a full disk is an error: it has
// no room for any text.
Result<void> reserve_some(int fd, const std::string& path) {
  if (has_much_room(fd) && reserve(fd, path, kReserved)) return {};  // a quota may have less
  return reserve(fd, path, kLeast);
}

}  // namespace

Result<Output> Output::to_descriptor(int descriptor, const std::string& path) {
  Fd file(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
  if (!file) return cannot_write(path, errno);
  Output output(file.get(), path);
  output.inherited_ = std::move(file);
  return output;
}

Result<Output> Output::to_file(const std::string& path) {
  if (path == "-") return to_stdout();
  if (const auto descriptor = descriptor_of(path)) return to_descriptor(*descriptor, path);
  if (is_of_another_user(path)) return replacing(path);
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  const bool created = static_cast<bool>(file);
  if (!file && errno == EEXIST)
    file = Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode));
  if (!file) return cannot_write(path, errno);
  Output output(file.get(), path);
  output.file_ = std::move(file);
  output.created_ = created;
  output.locked_elsewhere_ = is_locked_by_another(output.fd_);
  TACHO_TRY(reserve_some(output.fd_, path));
  return output;
}

Result<Output> Output::replacing(const std::string& path) {
  std::uint32_t number = 0;
  if (::getrandom(&number, sizeof number, 0) < 0) number = 0;  // a taken name is an error below
  std::string new_file = fmt::format("{}.{:08x}", path, number);
  const bool may = may_replace(path);
  Fd file(may ? ::open(new_file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode) : -1);
  if (!file)
    return failure(
        fmt::format("cannot write '{}': it belongs to another user, who could read what is written "
                    "there or lead it elsewhere, and its directory does not let you replace it",
                    path),
        "choose another file", may ? errno : EPERM);
  Output output(file.get(), path);
  output.file_ = std::move(file);
  output.new_file_ = std::move(new_file);
  output.created_ = true;
  TACHO_TRY(reserve_some(output.fd_, path));
  return output;
}

Result<void> Output::put_in_place() {
  if (new_file_.empty()) return {};
  if (::rename(new_file_.c_str(), name_.c_str()) != 0) {
    const int code = errno;
    ::unlink(new_file_.c_str());
    return os_failure(fmt::format("cannot replace '{}', which belongs to another user", name_),
                      code, "choose another file");
  }
  new_file_.clear();
  return {};
}

Output::~Output() {
  struct stat mine{};
  struct stat named{};
  if (!file_ || !fresh_ || locked_elsewhere_ || ::fstat(fd_, &mine) != 0) return;
  cut(fd_, mine.st_size);  // to its own size: that gives the reserved space back
  // Another program may have written (gnuplot does), or put another file there.
  if (created_ && mine.st_size == 0 && ::stat(place().c_str(), &named) == 0 &&
      same_inode(mine, named))
    ::unlink(place().c_str());
}

Output Output::to_stdout() {
  return {STDOUT_FILENO, "standard output"};
}
std::size_t Output::columns() const {
  constexpr std::size_t kNoTerminal = 100;
  const std::size_t columns = table_columns();
  return columns == 0 ? kNoTerminal : columns;
}

std::size_t Output::table_columns() const {
  constexpr std::size_t kFewest = 60;
  const std::size_t columns = terminal_columns(fd_);
  return columns == 0 ? 0 : std::max(columns, kFewest);
}

Output Output::to_stderr() {
  return {STDERR_FILENO, "standard error"};
}

Result<void> Output::write(std::string_view text) {
  return write_bytes(printable_lines(text, Colours::removed));
}

Result<void> Output::write(std::string_view text, std::string (*coloured)(std::string_view)) {
  const std::string lines = printable_lines(text, Colours::removed);
  return write_bytes(shows_colour(fd_) ? coloured(lines) : lines);
}

Result<void> Output::write_bytes(std::string_view bytes) {
  if (gone_) return {};
  if (file_ && fresh_) {
    // Without room for the new text, the file keeps the old one.
    if (auto room = reserve(fd_, name_, static_cast<off_t>(bytes.size())); !room) {
      gone_ = true;
      return room;
    }
    cut(fd_, 0);
  }
  fresh_ = false;
  if (auto placed = put_in_place(); !placed) {
    gone_ = true;
    return placed;
  }
  auto written = write_all(fd_, bytes, name_);
  if (written) {
    kept_ += static_cast<off_t>(bytes.size());
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
  if (!new_file_.empty() && !other.new_file_.empty()) {  // what each replaces
    if (::stat(name_.c_str(), &mine) != 0 || ::stat(other.name_.c_str(), &its) != 0) return false;
    return same_inode(mine, its);
  }
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

Result<void> check_sole_writer(std::span<const NamedOutput> outputs) {
  for (const auto& [what, output] : outputs)
    if (output->is_written_elsewhere())
      return failure(
          fmt::format("cannot write '{}': another program is writing it", output->name()),
          "wait until it ends, or give each a file of its own: in a name, %p is the "
          "process ID of tacho and %h the host");
  return {};
}

}  // namespace tacho

#include "base/regular_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace tacho {
namespace {

constexpr int kMostLinks = 40;  // of one path: the kernel's limit (path_resolution(7))
// A descriptor that only stands for a file. Opening it has no effect on a device or a FIFO.
constexpr int kPlace = O_PATH | O_CLOEXEC;
// Nothing waits for another program that has a lease on the file (fcntl(2)).
constexpr int kRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

// Filesystems of the kernel. Their files look regular, but reading /proc/kmsg or trace_pipe waits,
// and takes what was read from others.
constexpr std::array kOfKernel = {std::uint32_t{PROC_SUPER_MAGIC}, std::uint32_t{SYSFS_MAGIC},
                                  std::uint32_t{DEBUGFS_MAGIC},    std::uint32_t{TRACEFS_MAGIC},
                                  std::uint32_t{SECURITYFS_MAGIC}, std::uint32_t{BPF_FS_MAGIC},
                                  std::uint32_t{EFIVARFS_MAGIC},   std::uint32_t{PSTOREFS_MAGIC}};

bool is_of_kernel(const Fd& place) {
  struct statfs status{};
  if (::fstatfs(place.get(), &status) != 0) return false;
  return std::ranges::find(kOfKernel, static_cast<std::uint32_t>(status.f_type)) != kOfKernel.end();
}

bool is_link_of_others(const struct stat& link, const Fd& directory) {
  struct stat place{};
  if (::fstat(directory.get(), &place) != 0) return true;
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  return (place.st_mode & kShared) == kShared && link.st_uid != place.st_uid &&
         link.st_uid != ::geteuid();
}

std::unexpected<Error> cannot_open(const std::string& path, int code) {
  return os_failure("cannot open '" + path + "'", code);
}

std::unexpected<Error> is_a_link(const std::string& path) {
  return failure("'" + path + "' is a symbolic link, which tacho does not follow here", {}, ELOOP);
}

// Removes the next name from the path and returns it; empty at the end.
std::string take_name(std::string& path) {
  path.erase(0, std::min(path.find_first_not_of('/'), path.size()));
  std::string name = path.substr(0, path.find('/'));
  path.erase(0, name.size());
  return name;
}

Fd start_of(const std::string& path) {
  return Fd(::open(path.starts_with('/') ? "/" : ".", kPlace | O_DIRECTORY));
}

// Follows the path name by name and looks at each link.
Result<Fd> walk(const std::string& path, Links links) {
  std::string rest = path;
  Fd at = start_of(rest);
  if (!at) return cannot_open(path, errno);
  int followed = 0;
  for (std::string name = take_name(rest); !name.empty(); name = take_name(rest)) {
    Fd next(::openat(at.get(), name.c_str(), kPlace | O_NOFOLLOW));
    struct stat status{};
    if (!next || ::fstat(next.get(), &status) != 0) return cannot_open(path, errno);
    if (S_ISLNK(status.st_mode)) {
      if (links == Links::none_at_end && rest.empty()) return is_a_link(path);
      if (++followed > kMostLinks) return cannot_open(path, ELOOP);
      if (is_link_of_others(status, at))
        return failure(fmt::format("'{}' leads through a symbolic link of another user (user ID "
                                   "{}) in a directory that everyone may write to",
                                   path, status.st_uid),
                       {}, ELOOP);
      if (is_of_kernel(next)) {  // only the kernel knows where it leads
        next = Fd(::openat(at.get(), name.c_str(), kPlace));
        if (!next) return cannot_open(path, errno);
      } else {
        std::array<char, PATH_MAX> target{};
        const ssize_t size = ::readlinkat(next.get(), "", target.data(), target.size());
        if (size <= 0) return cannot_open(path, size == 0 ? ENOENT : errno);
        rest.insert(0, target.data(), static_cast<std::size_t>(size));
        if (rest.starts_with('/')) at = start_of(rest);
        if (!at) return cannot_open(path, errno);
        continue;
      }
    }
    at = std::move(next);
  }
  return at;
}

// Linux before 5.6 and some sandboxes lack openat2.
bool is_missing(int code) {
  return code == ENOSYS || code == EPERM;
}

int open_at(int directory, const std::string& path, int flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<__u64>(flags);
  how.resolve = resolve;
  return static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how));
}

Result<Fd> find_here(const std::string& path, Links links) {
  if (links == Links::all) {
    Fd place(::open(path.c_str(), kPlace));
    if (!place) return cannot_open(path, errno);
    return place;
  }
  Fd place(open_at(AT_FDCWD, path, kPlace, RESOLVE_NO_SYMLINKS));
  if (place) return place;
  if (errno != ELOOP && !is_missing(errno)) return cannot_open(path, errno);
  return walk(path, links);
}

// A path below a directory, whose symbolic links are those of a foreign directory tree. Without
// openat2 the path is only appended.
Result<Fd> find_below(const std::string& root, const std::string& path, Links links) {
  const Fd tree(::open(root.c_str(), kPlace | O_DIRECTORY));
  if (!tree) return cannot_open(root + path, errno);
  Fd place(open_at(tree.get(), path, kPlace | (links == Links::none_at_end ? O_NOFOLLOW : 0),
                   RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS));
  if (place) return place;
  if (!is_missing(errno)) return cannot_open(root + path, errno);
  return walk(root + path, links);
}

// What a file is that is not regular.
const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Opens the file of a place to read it. Without /proc it is opened by its path, and compared.
Result<RegularFile> open_place(const Fd& place, const std::string& path) {
  struct stat found{};
  if (::fstat(place.get(), &found) != 0) return os_failure("cannot read '" + path + "'", errno);
  if (S_ISLNK(found.st_mode)) return is_a_link(path);
  if (!S_ISREG(found.st_mode))
    return failure(fmt::format("'{}' is not a regular file but {}", path, kind_of(found.st_mode)));
  if (is_of_kernel(place))
    return failure("'" + path + "' is not a regular file: the kernel makes it up when it is read");
  RegularFile file;
  file.size = static_cast<std::uint64_t>(found.st_size);
  file.owner = found.st_uid;
  file.fd = Fd(::open(fmt::format("/proc/self/fd/{}", place.get()).c_str(), kRead));
  if (file.fd) return file;
  if (errno != ENOENT) return cannot_open(path, errno);
  file.fd = Fd(::open(path.c_str(), kRead));
  struct stat status{};
  if (!file.fd || ::fstat(file.fd.get(), &status) != 0) return cannot_open(path, errno);
  if (!same_file(found, status)) return failure("'" + path + "' was replaced while it was opened");
  return file;
}

}  // namespace

std::size_t RegularFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::pread(fd.get(), bytes.data() + done, bytes.size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<RegularFile> open_regular_file(const std::string& path, const std::string& root,
                                      Links links) {
  const bool below = root != "/";
  const Fd place = TACHO_TRY(below ? find_below(root, path, links) : find_here(path, links));
  return open_place(place, below ? root + path : path);
}

Result<std::string> read_regular_file(const std::string& path, std::size_t limit) {
  const RegularFile file = TACHO_TRY(open_regular_file(path, "/", Links::safe));
  if (file.size > limit)
    return failure(fmt::format("file too long: '{}' has more than {} bytes", path, limit));
  std::string text(static_cast<std::size_t>(file.size), '\0');
  text.resize(file.read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

Result<void> check_owner(const RegularFile& file, const std::string& path) {
  const uid_t user = ::geteuid();
  if (user == 0 || file.owner == user || file.owner == 0) return {};
  return failure(
      "'" + path + "' belongs to another user (user ID " + std::to_string(file.owner) + ")",
      "run tacho as root or as that user", EACCES);
}

}  // namespace tacho

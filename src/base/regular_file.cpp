#include "base/regular_file.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace tacho {
namespace {

constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

// Both return the descriptor, or the negative errno.
int open_here(const std::string& path) {
  const int fd = ::open(path.c_str(), kFlags);
  return fd < 0 ? -errno : fd;
}

// Opens a path below a directory, whose symbolic links are those of a foreign directory tree. Linux
// before 5.6 and some sandboxes lack openat2. There the path is only appended.
int open_below(const std::string& root, const std::string& path) {
  const Fd tree(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!tree) return -errno;
  open_how how{};
  how.flags = kFlags;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const long fd = ::syscall(SYS_openat2, tree.get(), path.c_str(), &how, sizeof how);
  if (fd >= 0) return static_cast<int>(fd);
  return errno == ENOSYS || errno == EPERM ? open_here(root + path) : -errno;
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

Result<RegularFile> open_regular_file(const std::string& path, const std::string& root) {
  const std::string whole = root == "/" ? path : root + path;
  const int fd = root == "/" ? open_here(path) : open_below(root, path);
  if (fd == -ELOOP)
    return failure("'" + whole + "' is a symbolic link, which tacho does not follow here", {},
                   ELOOP);
  if (fd < 0) return os_failure("cannot open '" + whole + "'", -fd);
  RegularFile file;
  file.fd = Fd(fd);
  struct stat status{};
  if (::fstat(file.fd.get(), &status) != 0) return os_failure("cannot read '" + whole + "'", errno);
  if (!S_ISREG(status.st_mode)) return failure("'" + whole + "' is not a regular file");
  file.size = static_cast<std::uint64_t>(status.st_size);
  file.owner = status.st_uid;
  return file;
}

Result<void> check_owner(const RegularFile& file, const std::string& path) {
  const uid_t user = ::geteuid();
  if (user == 0 || file.owner == user || file.owner == 0) return {};
  return failure(
      "'" + path + "' belongs to another user (user ID " + std::to_string(file.owner) + ")",
      "run tacho as root or as that user", EACCES);
}

}  // namespace tacho

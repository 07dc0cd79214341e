#include "stat/replaced_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/written_file.hpp"

namespace tacho {
namespace {

std::unexpected<Error> cannot_replace(const std::string& path, int code) {
  const bool is_full = code == ENOSPC || code == EDQUOT;
  return os_failure(fmt::format("cannot write '{}'", path), code,
                    code == ENOENT ? "create its directory first"
                    : is_full      ? "make room, or choose another disk"
                                   : "choose another file");
}

// The new file until it has its name, which removes itself unless that happens.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path) {
    std::uint32_t number = 0;
    if (::getrandom(&number, sizeof number, 0) < 0) number = 0;  // then a taken name is an error
    // The end of the name is another one: the textfile collector takes all files *.prom.
    name_ = fmt::format("{}.{:08x}", path, number);
    file_ = Fd(::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file_) name_.clear();
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  int fd() const { return file_.get(); }

  Result<void> put_in_place() {
    if (::rename(name_.c_str(), path_.c_str()) != 0) return cannot_replace(path_, errno);
    name_.clear();
    return {};
  }

 private:
  std::string path_;
  std::string name_;  // empty: nothing is left to remove
  Fd file_;
};

}  // namespace

Result<ReplacedFile> ReplacedFile::at(const std::string& path) {
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return cannot_replace(path, EISDIR);
  if (path == "-" || (exists && !S_ISREG(status.st_mode)))
    return failure(fmt::format("cannot replace '{}': it is no regular file", path),
                   "name a file, such as tacho.prom");
  if (is_of_another_user(path) && !may_replace(path)) return cannot_replace(path, EPERM);
  const NewFile tried(path);
  if (tried.fd() < 0) return cannot_replace(path, errno);
  constexpr off_t kLeast = 1;  // byte: a full disk has no room for it
  if (::fallocate(tried.fd(), 0, 0, kLeast) != 0 && (errno == ENOSPC || errno == EDQUOT))
    return cannot_replace(path, errno);
  return ReplacedFile(path);
}

Result<void> ReplacedFile::replace(std::string_view text) const {
  NewFile file(path_);
  if (file.fd() < 0) return cannot_replace(path_, errno);
  if (auto written = write_all(file.fd(), text, path_); !written)
    return cannot_replace(path_, written.error().code);
  return file.put_in_place();
}

}  // namespace tacho

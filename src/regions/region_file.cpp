#include "regions/region_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "regions/region_lines.hpp"

namespace tacho {
namespace {

// Above the descriptors that shell scripts open by number (0 to 9).
constexpr int kHighDescriptor = 100;

constexpr std::size_t kMost = std::size_t{64} << 20;

std::unexpected<Error> cannot_keep(int code, const char* remedy) {
  return os_failure("cannot make a file in memory for the regions", code, remedy);
}

}  // namespace

Result<RegionFile> RegionFile::create() {
  Fd low(::memfd_create("tacho-regions", MFD_CLOEXEC));
  if (!low) return cannot_keep(errno, "leave out --regions, and use TACHO_REGIONS=text");
  Fd fd(::fcntl(low.get(), F_DUPFD, kHighDescriptor));
  if (!fd) fd = Fd(::fcntl(low.get(), F_DUPFD, 0));  // the limit may be below kHighDescriptor
  struct stat file{};
  // With O_APPEND a line stays whole when several processes write.
  if (!fd || ::fcntl(fd.get(), F_SETFL, O_APPEND) != 0 || ::fstat(fd.get(), &file) != 0)
    return cannot_keep(errno, "raise 'ulimit -n'");
  std::vector<std::string> variables = {
      fmt::format("TACHO_REGIONS_FD={}:{}:{}", fd.get(), file.st_dev, file.st_ino),
      fmt::format("TACHO_REGIONS_PATH=/proc/{}/fd/{}", ::getpid(), fd.get())};
  return RegionFile(std::move(fd), std::move(variables));
}

Result<Regions> RegionFile::read() const {
  struct stat file{};
  if (::fstat(fd_.get(), &file) != 0) return os_failure("cannot read the regions", errno);
  const auto size = static_cast<std::size_t>(file.st_size);
  std::string lines(std::min(size, kMost), '\0');
  std::size_t got = 0;
  while (got < lines.size()) {
    const ssize_t more =
        ::pread(fd_.get(), lines.data() + got, lines.size() - got, static_cast<off_t>(got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return os_failure("cannot read the regions", errno);
    if (more == 0) break;  // the workload has truncated the file
    got += static_cast<std::size_t>(more);
  }
  lines.resize(got);
  const bool cut = size > kMost;
  if (cut) lines.erase(lines.rfind('\n') + 1);
  Regions regions = read_regions(lines);
  regions.cut = regions.cut || cut;
  return regions;
}

}  // namespace tacho

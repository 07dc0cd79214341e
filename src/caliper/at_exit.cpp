#include "caliper/at_exit.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "caliper/write.hpp"
#include "tacho/report.hpp"

namespace tacho::caliper {
namespace {

// As they were when the first region became known: the program may change its environment.
struct Asked {
  std::string wish;
  std::string collector;
};

// Made when first used, which may be in a static constructor of the program's, and never destroyed:
// as an object of the library's own it would be constructed later, and empty again.
Asked& asked() {
  static Asked& all = *new Asked;
  return all;
}

// FD:DEVICE:INODE, all decimal: the file's identity stands beside the descriptor, since a program
// may have closed it and opened something else under its number.
std::optional<int> collecting_descriptor(std::string_view text) {
  std::array<std::uint64_t, 3> numbers{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ':')) return std::nullopt;
    const auto parsed = std::from_chars(at, end, numbers[i]);
    if (parsed.ec != std::errc()) return std::nullopt;
    at = parsed.ptr;
  }
  const int fd = static_cast<int>(numbers[0]);
  struct stat file{};
  if (at != end || ::fstat(fd, &file) != 0 || file.st_dev != numbers[1] ||
      file.st_ino != numbers[2])
    return std::nullopt;
  return fd;
}

void report() {
  const auto& [wish, collector] = asked();
  try {
    const RegionReport figures = region_report();
    if (figures.regions.empty() && figures.unmatched == 0 && figures.no_memory == 0) return;
    // One write, so that the lines of several processes do not mix.
    if (const auto fd = collecting_descriptor(collector))
      // NOLINTNEXTLINE(bugprone-unused-return-value): nobody is left to tell
      (void)write_all(*fd, to_json(figures), "TACHO_REGIONS_FD");
    if (wish.empty()) return;
    const std::size_t colon = wish.find(':');
    const bool to_file = colon != std::string::npos;
    const auto written =
        write_report(figures, wish.substr(0, colon), to_file ? wish.c_str() + colon + 1 : nullptr);
    if (!written)
      // NOLINTNEXTLINE(bugprone-unused-return-value): nobody is left to tell
      (void)write_all(STDERR_FILENO,
                      "tacho: TACHO_REGIONS=" + wish + ": " + written.error().what +
                          (written.error().remedy.empty() ? "" : "; " + written.error().remedy) +
                          "\n",
                      "standard error");
  } catch (...) {  // memory is out
    constexpr std::string_view kLost =
        "tacho: no memory for the report of this process's regions; raise its limit (ulimit -v)\n";
    // NOLINTNEXTLINE(bugprone-unused-return-value): nobody is left to tell
    (void)write_all(STDERR_FILENO, kLost, "standard error");
  }
}

}  // namespace

void report_at_exit() {
  auto& [wish, collector] = asked();
  for (const auto& [name, value] :
       {std::pair{"TACHO_REGIONS", &wish}, std::pair{"TACHO_REGIONS_FD", &collector}})
    // Not of a program that runs with another's rights (set-uid): it would write where its user may
    // not.
    if (const char* const text = ::secure_getenv(name); text != nullptr) *value = text;
  if (!wish.empty() || !collector.empty()) std::atexit(report);
}

}  // namespace tacho::caliper

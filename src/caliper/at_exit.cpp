// Reads TACHO_REGIONS and TACHO_REGIONS_FD when the first region becomes known, and writes the
// report when the program ends. docs/reference/regions.md describes the variables.
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
#include "base/published.hpp"
#include "caliper/report_file.hpp"
#include "tacho/report.hpp"

namespace tacho::caliper {
namespace {

struct Variables {
  std::string format;     // TACHO_REGIONS
  std::string collector;  // TACHO_REGIONS_FD
};

constinit Published<const Variables> the_variables;

// secure_getenv ignores the variables in a set-uid program, which could otherwise write to a file
// that its user must not change.
Variables from_environment() {
  const auto value = [](const char* name) {
    const char* const text = ::secure_getenv(name);
    return std::string(text != nullptr ? text : "");
  };
  return {.format = value("TACHO_REGIONS"), .collector = value("TACHO_REGIONS_FD")};
}

// Parses FD:DEVICE:INODE, all decimal. The program may have closed the descriptor and opened
// another file with its number: the device and inode tell.
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

void report(const Variables& variables) {
  const auto& [format, collector] = variables;
  try {
    const ProcessReport whole = process_report();
    const RegionReport& figures = whole.figures;
    if (figures.regions.empty() && figures.unmatched == 0 && figures.no_memory == 0) return;
    // One write each, so that the lines of several processes do not mix.
    if (const auto fd = collecting_descriptor(collector))
      // NOLINTNEXTLINE(bugprone-unused-return-value): an error cannot be reported
      (void)write_all(*fd, to_json(figures, whole.left_open_by), "TACHO_REGIONS_FD");
    if (format.empty()) return;
    const std::size_t colon = format.find(':');
    const bool to_file = colon != std::string::npos;
    const auto written = write_report(whole, format.substr(0, colon),
                                      to_file ? format.c_str() + colon + 1 : nullptr);
    if (!written)
      // NOLINTNEXTLINE(bugprone-unused-return-value): an error cannot be reported
      (void)write_all(STDERR_FILENO,
                      "tacho: TACHO_REGIONS=" + format + ": " + written.error().what +
                          (written.error().remedy.empty() ? "" : "; " + written.error().remedy) +
                          "\n",
                      "standard error");
  } catch (...) {  // std::bad_alloc
    constexpr std::string_view kLost =
        "tacho: no memory for the report of this process's regions; raise its limit (ulimit -v)\n";
    // NOLINTNEXTLINE(bugprone-unused-return-value): an error cannot be reported
    (void)write_all(STDERR_FILENO, kLost, "standard error");
  }
}

// 101 is the last one to run: after the handlers of atexit() and the program's own destructors.
[[gnu::destructor(101)]] void at_end() {
  const Variables* const variables = the_variables.known();
  if (variables != nullptr && (!variables->format.empty() || !variables->collector.empty()))
    report(*variables);
}

}  // namespace

void read_variables() {
  the_variables.get(from_environment);
}

}  // namespace tacho::caliper

// Reads TACHO_REGIONS and TACHO_REGIONS_FD when the first region becomes known, and writes the
// report when the program ends. docs/reference/regions.md describes the variables.
#include "caliper/at_exit.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cerrno>
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
constinit std::atomic<bool> said_wrong{false};  // that TACHO_REGIONS is

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

constexpr std::string_view kInstead = "the report goes to standard error";

// FORMAT or FORMAT:PATH.
struct Wish {
  std::string_view format;
  const char* path = nullptr;  // null: standard error
};
Wish parse(const std::string& text) {
  const std::size_t colon = text.find(':');
  return {.format = std::string_view(text).substr(0, colon),
          .path = colon == std::string::npos ? nullptr : text.c_str() + colon + 1};
}

// What will make the report fail, as far as it is known before.
std::optional<Error> obstacle(const Wish& wish) {
  if (const auto known = check_format(wish.format); !known) return known.error();
  if (wish.path == nullptr || ::faccessat(AT_FDCWD, wish.path, W_OK, AT_EACCESS) == 0)
    return std::nullopt;
  const std::string_view path = wish.path;
  const std::size_t slash = path.rfind('/');
  const std::string folder(slash == path.npos ? "." : path.substr(0, slash + 1));
  if (errno == ENOENT && ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0)
    return std::nullopt;
  return os_failure(fmt::format("cannot open '{}'", path), errno).error();
}

// A report that cannot be written as it was asked for is written to standard error, so that its
// figures are not lost. The reason was said at the start, or is said now.
void write_asked(const ProcessReport& report, const std::string& asked) {
  const Wish wish = parse(asked);
  const bool known_format = check_format(wish.format).has_value();
  const std::string_view format = known_format ? wish.format : "text";
  const auto written = write_report(report, format, wish.path);
  if (written) return;
  if (!said_wrong) say_wrong("TACHO_REGIONS", asked, written.error(), kInstead);
  // NOLINTNEXTLINE(bugprone-unused-return-value): an error cannot be reported
  (void)write_report(report, format, nullptr);
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
      (void)write_all(*fd, to_json(whole), "TACHO_REGIONS_FD");
    if (!format.empty()) write_asked(whole, format);
  } catch (...) {  // std::bad_alloc
    constexpr std::string_view kLost =
        "tacho: no memory for the report of this process's regions; raise its limit (ulimit -v)\n";
    // NOLINTNEXTLINE(bugprone-unused-return-value): an error cannot be reported
    (void)write_all(STDERR_FILENO, kLost, "standard error");
  }
}

// 101 is the last one to run: after the handlers of atexit() and the program's own destructors.
[[gnu::destructor(101)]] void at_end() {
  static constinit std::atomic<bool> ended{false};
  const Variables* const variables = the_variables.known();
  if (variables == nullptr || (variables->format.empty() && variables->collector.empty())) return;
  if (!ended.exchange(true)) report(*variables);
}

// The first handler runs last.
[[gnu::constructor(101)]] void report_at_quick_exit() {
  ::at_quick_exit(at_end);
}

}  // namespace

void say_wrong(std::string_view variable, std::string_view value, const Error& error,
               std::string_view instead) {
  // NOLINTNEXTLINE(bugprone-unused-return-value): an error cannot be reported
  (void)write_all(STDERR_FILENO,
                  fmt::format("tacho: {}={}: {}{}{}; {}\n", variable, value, error.what,
                              error.remedy.empty() ? "" : "; ", error.remedy, instead),
                  "standard error");
}

void read_variables() {
  static constinit std::atomic<bool> checked{false};
  const std::string& asked = the_variables.get(from_environment).format;
  if (checked.exchange(true, std::memory_order_relaxed) || asked.empty()) return;
  const Wish wish = parse(asked);
  const auto error = obstacle(wish);
  if (!error) return;
  said_wrong = true;
  say_wrong("TACHO_REGIONS", asked, *error,
            check_format(wish.format) ? kInstead : "the report is written as text");
}

}  // namespace tacho::caliper

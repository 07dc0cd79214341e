// Reads TACHO_REGIONS, TACHO_REGIONS_FD and TACHO_REGIONS_PATH when the first region becomes known,
// and writes the report when the program ends. docs/reference/regions.md describes the variables.
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
#include "caliper/process_place.hpp"
#include "caliper/report_file.hpp"
#include "caliper/trace_file.hpp"
#include "tacho/report.hpp"

namespace tacho::caliper {
namespace {

struct Variables {
  std::string format;          // TACHO_REGIONS
  std::string collector;       // TACHO_REGIONS_FD
  std::string collector_path;  // TACHO_REGIONS_PATH
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
  return {.format = value("TACHO_REGIONS"),
          .collector = value("TACHO_REGIONS_FD"),
          .collector_path = value("TACHO_REGIONS_PATH")};
}

// The file that collects the lines of all processes, as FD:DEVICE:INODE has it, all decimal.
struct Collector {
  int fd = -1;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  bool is(int descriptor) const {
    struct stat file{};
    return ::fstat(descriptor, &file) == 0 && file.st_dev == device && file.st_ino == inode;
  }
};

std::optional<Collector> parse_collector(std::string_view text) {
  std::array<std::uint64_t, 3> numbers{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ':')) return std::nullopt;
    const auto parsed = std::from_chars(at, end, numbers[i]);
    if (parsed.ec != std::errc()) return std::nullopt;
    at = parsed.ptr;
  }
  if (at != end) return std::nullopt;
  return Collector{.fd = static_cast<int>(numbers[0]), .device = numbers[1], .inode = numbers[2]};
}

// A launcher may have closed the descriptor, and the program may have opened another file with its
// number: the device and the inode tell. The path is used if the descriptor is not the file.
void collect(const Variables& variables, const ProcessReport& report) {
  const auto collector = parse_collector(variables.collector);
  if (!collector) return;
  Fd opened;
  if (!collector->is(collector->fd) && !variables.collector_path.empty())
    opened = Fd(::open(variables.collector_path.c_str(),
                       O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  const int fd = opened ? opened.get() : collector->fd;
  // One write, so that the lines of several processes do not mix.
  if (collector->is(fd))
    // NOLINTNEXTLINE(bugprone-unused-return-value): an error cannot be reported
    (void)write_all(fd, to_json(report), "TACHO_REGIONS_FD");
}

constexpr std::string_view kInstead = "the report goes to standard error";
constexpr std::string_view kTrace = "trace";

// FORMAT or FORMAT:PATH.
struct Wish {
  std::string_view format;
  std::optional<std::string> path;  // none: standard error
};
std::string_view format_of(std::string_view text) {
  return text.substr(0, text.find(':'));
}
Wish parse(std::string_view text) {
  Wish wish{.format = format_of(text), .path = {}};
  if (wish.format.size() < text.size()) wish.path = fill_in(text.substr(wish.format.size() + 1));
  return wish;
}

// Null if the wish is no trace, or names no file.
const char* file_of_trace(const Wish& wish) {
  return wish.format == kTrace && wish.path && !wish.path->empty() ? wish.path->c_str() : nullptr;
}

Result<void> check(const Wish& wish) {
  if (wish.format != kTrace) return check_format(wish.format);
  if (const char* const file = file_of_trace(wish)) return check_trace(file);
  return failure("a trace needs a file", "use trace:FILE", EINVAL);
}

// What will make the report fail, as far as it is known before.
std::optional<Error> obstacle(const Wish& wish) {
  if (const auto known = check(wish); !known) return known.error();
  if (!wish.path) return std::nullopt;
  const std::string_view path = *wish.path;
  struct stat there{};
  if (::stat(wish.path->c_str(), &there) == 0 && S_ISDIR(there.st_mode))
    return os_failure(fmt::format("cannot open '{}'", path), EISDIR).error();
  if (::faccessat(AT_FDCWD, wish.path->c_str(), W_OK, AT_EACCESS) == 0) return std::nullopt;
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
  const char* const trace = file_of_trace(wish);
  const std::string_view format = check_format(wish.format) ? wish.format : "text";
  const auto written = trace != nullptr
                           ? write_trace(report, process_trace(), trace)
                           : write_report(report, format, wish.path ? wish.path->c_str() : nullptr);
  if (written) return;
  if (!said_wrong) say_wrong("TACHO_REGIONS", asked, written.error(), kInstead);
  // NOLINTNEXTLINE(bugprone-unused-return-value): an error cannot be reported
  (void)write_report(report, format, nullptr);
}

void report(const Variables& variables) {
  try {
    const ProcessReport whole = process_report();
    const RegionReport& figures = whole.figures;
    if (figures.regions.empty() && figures.unmatched == 0 && figures.no_memory == 0) return;
    collect(variables, whole);
    if (!variables.format.empty()) write_asked(whole, variables.format);
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
            wish.format == kTrace || check_format(wish.format) ? kInstead
                                                               : "the report is written as text");
}

bool asks_for_trace() noexcept {
  const Variables* const variables = the_variables.known();
  return variables != nullptr && format_of(variables->format) == kTrace;
}

}  // namespace tacho::caliper

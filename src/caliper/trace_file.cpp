// The format is Chrome's "Trace Event Format": an array of events. An execution is a complete event
// (X). Times are in µs of CLOCK_MONOTONIC, as in `perf record -k mono`.
#include "caliper/trace_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "tacho/ticks.hpp"

namespace tacho::caliper {
namespace {

constexpr std::string_view kBegin = "[\n";
constexpr std::string_view kEnd = "\n]\n";

// Both clocks at one moment.
struct Moment {
  std::uint64_t ticks = 0;
  double us = 0;

  static Moment now() noexcept {
    timespec clock{};
    ::clock_gettime(CLOCK_MONOTONIC, &clock);
    return {
        .ticks = ordered_ticks(),
        .us = 1e6 * static_cast<double>(clock.tv_sec) + 1e-3 * static_cast<double>(clock.tv_nsec)};
  }
};

constinit Moment at_load;

[[gnu::constructor(101)]] void read_clocks() {
  at_load = Moment::now();
}

// Converts ticks to µs. It takes the rate of the whole run, because an error of the clock's
// measured rate would grow with the time.
class Clock {
 public:
  explicit Clock(const TickClock& clock) : us_a_tick_(1e6 / clock.hz) {
    constexpr double kLongEnough = 1e5;  // 0.1 s: the clocks were read within 1 µs
    const Moment now = Moment::now();
    if (now.us - at_load.us > kLongEnough)
      us_a_tick_ = (now.us - at_load.us) / static_cast<double>(now.ticks - at_load.ticks);
  }
  double time(std::uint64_t ticks) const noexcept {
    return at_load.us + length(static_cast<std::int64_t>(ticks - at_load.ticks));
  }
  double length(std::int64_t ticks) const noexcept {
    return us_a_tick_ * static_cast<double>(ticks);
  }

 private:
  double us_a_tick_;
};

// The events, written in large pieces.
class Events {
 public:
  Events(int fd, const char* path, std::string begin)
      : fd_(fd), path_(path), text_(std::move(begin)) {}

  void add(const std::string& event) {
    if (!text_.ends_with(kBegin)) text_ += ",\n";
    text_ += event;
    constexpr std::size_t kPiece = 1 << 20;
    if (text_.size() > kPiece) write();
  }
  Result<void> end() {
    text_ += kEnd;
    write();
    return written_;
  }

 private:
  void write() {
    if (written_) written_ = write_all(fd_, text_, path_);
    text_.clear();
  }

  int fd_;
  const char* path_;
  std::string text_;
  Result<void> written_;
};

std::string metadata(const char* kind, std::int64_t pid, std::int64_t thread,
                     std::string_view name) {
  return fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", kind,
                     pid, thread, json_string(name));
}

std::string name_of(const ProcessReport& report) {
  std::string name = report.figures.program;
  if (!report.place.rank.empty())
    name += fmt::format(", rank {} on {}", report.place.rank, report.place.host);
  return name;
}

// The executions of a thread; those around others come first.
void add_thread(Events& events, ThreadTrace& trace, std::int64_t pid, const Clock& clock,
                const std::vector<std::string>& names) {
  events.add(metadata("thread_name", pid, trace.thread_id, trace.thread_name));
  std::ranges::sort(trace.executions, [](const Execution& a, const Execution& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  for (const Execution& execution : trace.executions) {
    const auto ticks = static_cast<std::int64_t>(execution.end - execution.begin);
    const auto left_out = std::ranges::find(trace.one_of, execution.region,
                                            &std::pair<std::uint32_t, std::uint32_t>::first);
    events.add(fmt::format(
        R"({{"ph":"X","cat":"region","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}{}}})",
        names[execution.region], pid, trace.thread_id, clock.time(execution.begin),
        clock.length(std::max<std::int64_t>(0, ticks - static_cast<std::int64_t>(trace.cost))),
        left_out == trace.one_of.end()
            ? ""
            : fmt::format(R"(,"args":{{"one of":{}}})", left_out->second)));
  }
}

std::string kept(std::uint64_t all, std::uint64_t there) {
  return fmt::format("{} of {} executions are in the trace", there, all);
}

Result<void> write_events(int fd, const char* path, std::string begin, const ProcessReport& report,
                          ProcessTrace& trace) {
  for (std::string& name : trace.names) name = json_string(name);
  const std::int64_t pid = report.figures.pid;
  const Clock clock(report.figures.clock);
  Events events(fd, path, std::move(begin));
  events.add(metadata("process_name", pid, pid, name_of(report)));
  std::uint64_t there = 0;
  for (ThreadTrace& thread : trace.threads) {
    there += thread.executions.size();
    add_thread(events, thread, pid, clock, trace.names);
  }
  std::uint64_t all = 0;
  for (const RegionFigures& region : report.figures.regions) all += region.executions;
  if (all > there)
    events.add(fmt::format(
        R"({{"ph":"i","s":"p","cat":"region","name":{},"pid":{},"tid":{},"ts":{:.3f}}})",
        json_string(kept(all, there)), pid, pid, Moment::now().us));
  const auto written = events.end();
  if (written && all > there)
    // NOLINTNEXTLINE(bugprone-unused-return-value): an error cannot be reported
    (void)write_all(STDERR_FILENO, fmt::format("tacho: {}: {}\n", path, kept(all, there)),
                    "standard error");
  return written;
}

// Whether the file ends as a trace does, so that events can follow.
bool ends_as_trace(int fd, off_t size) {
  std::array<char, kEnd.size()> end{};
  constexpr auto kSize = static_cast<off_t>(end.size());
  return size > kSize && ::pread(fd, end.data(), end.size(), size - kSize) == kSize &&
         std::string_view(end.data(), end.size()) == kEnd;
}

}  // namespace

Result<void> write_trace(const ProcessReport& report, ProcessTrace trace, const char* path) {
  constexpr mode_t kMode = 0666;
  const Fd file(::open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, kMode));
  struct stat there{};
  // Processes wait for each other, because each one replaces the end of the array.
  if (!file || ::flock(file.get(), LOCK_EX) != 0 || ::fstat(file.get(), &there) != 0)
    return os_failure(fmt::format("cannot open '{}'", path), errno);
  if (!S_ISREG(there.st_mode) || there.st_size == 0)
    return write_events(file.get(), path, std::string(kBegin), report, trace);
  if (!ends_as_trace(file.get(), there.st_size))
    return failure(fmt::format("'{}' is no trace of regions", path), "name a new file", EINVAL);
  const off_t end = ::lseek(file.get(), -static_cast<off_t>(kEnd.size()), SEEK_END);
  auto written = write_events(file.get(), path, "", report, trace);
  if (!written && ::ftruncate(file.get(), end) == 0 && ::lseek(file.get(), end, SEEK_SET) == end)
    // NOLINTNEXTLINE(bugprone-unused-return-value): the first error is reported
    (void)write_all(file.get(), kEnd, path);
  return written;
}

}  // namespace tacho::caliper

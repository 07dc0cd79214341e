// The format is Chrome's "Trace Event Format": an array of events. An execution is a complete event
// (X). Times are in µs of CLOCK_MONOTONIC, as in `perf record -k mono`.
#include "caliper/trace_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "caliper/both_clocks.hpp"
#include "tacho/ticks.hpp"

namespace tacho::caliper {
namespace {

constexpr std::string_view kTraceBegin = "[\n";
constexpr std::string_view kTraceEnd = "\n]\n";
// How each trace begins: metadata() of a process, behind kTraceBegin.
constexpr std::string_view kTraceHead = "[\n{\"ph\":\"M\",\"name\":\"process_name\",";

// Converts ticks to µs. It takes the rate of the whole run, because an error of the clock's
// measured rate would grow with the time.
class Clock {
 public:
  explicit Clock(const TickClock& clock) : begin_(trace_begin()), us_a_tick_(1e6 / clock.hz) {
    constexpr std::uint64_t kLongEnough = 100'000'000;  // ns: the clocks are read within 1 µs
    const BothClocks now = read_both_clocks(CLOCK_MONOTONIC);
    if (now.ns - begin_.ns > kLongEnough)
      us_a_tick_ = kUs * static_cast<double>(now.ns - begin_.ns) /
                   static_cast<double>(now.ticks - begin_.ticks);
  }
  double time(std::uint64_t ticks) const noexcept {
    return kUs * static_cast<double>(begin_.ns) +
           length(static_cast<std::int64_t>(ticks - begin_.ticks));
  }
  double length(std::int64_t ticks) const noexcept {
    return us_a_tick_ * static_cast<double>(ticks);
  }

 private:
  static constexpr double kUs = 1e-3;  // in a ns

  BothClocks begin_;
  double us_a_tick_;
};

// The events, written in large pieces.
class Events {
 public:
  Events(int fd, const char* path, std::string begin)
      : fd_(fd), path_(path), text_(std::move(begin)) {}

  void add(const std::string& event) {
    if (!text_.ends_with(kTraceBegin)) text_ += ",\n";
    text_ += event;
    constexpr std::size_t kPiece = 1 << 20;
    if (text_.size() > kPiece) write();
  }
  Result<void> end() {
    text_ += kTraceEnd;
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
    const auto left_out = trace.one_of.find(execution.region);
    events.add(fmt::format(
        R"({{"ph":"X","cat":"region","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}{}}})",
        names[execution.region], pid, trace.thread_id, clock.time(execution.begin),
        clock.length(std::max<std::int64_t>(0, ticks - static_cast<std::int64_t>(trace.cost))),
        left_out == trace.one_of.end() || execution.number == 0
            ? ""
            : fmt::format(R"(,"args":{{"one of":{}}})", left_out->second)));
  }
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
  const std::string kept = fmt::format("{} of {} executions are in the trace", there, all);
  const std::int64_t mark = trace.threads.empty() ? pid : trace.threads.front().thread_id;
  if (all > there)
    events.add(fmt::format(
        R"({{"ph":"i","s":"p","cat":"region","name":{},"pid":{},"tid":{},"ts":{:.3f}}})",
        json_string(kept), pid, mark, clock.time(ordered_ticks())));
  const auto written = events.end();
  if (written && all > there)
    // NOLINTNEXTLINE(bugprone-unused-return-value): an error cannot be reported
    (void)write_all(STDERR_FILENO, fmt::format("tacho: {}: {}\n", path, kept), "standard error");
  return written;
}

Result<void> no_trace(const char* path) {
  return failure(fmt::format("'{}' is no trace of regions", path), "name a new file", EINVAL);
}

std::string read_at(int fd, off_t begin, std::size_t size) {
  std::string bytes(size, '\0');
  const ssize_t got = ::pread(fd, bytes.data(), size, begin);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return bytes;
}

bool begins_as_trace(int fd) {
  return read_at(fd, 0, kTraceHead.size()) == kTraceHead;
}

// The end of the last whole event of a trace. A process that was killed while it wrote left a part
// of one behind.
std::optional<off_t> end_of_events(int fd, off_t size) {
  constexpr off_t kMost = 1 << 20;  // an event has about 100 bytes
  const off_t begin = std::max<off_t>(0, size - kMost);
  const std::string bytes = read_at(fd, begin, static_cast<std::size_t>(size - begin));
  const std::size_t end =
      std::max(bytes.rfind("},\n") + 1, bytes.rfind("}\n") + 1);  // 0 if not found
  return end == 0 ? std::nullopt : std::optional(begin + static_cast<off_t>(end));
}

// Waits while another process writes its events. The children of this process do not inherit the
// lock.
Result<void> lock(int fd, const char* path) {
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  constexpr timespec kNap{0, 10'000'000};
  for (int left = 1000; ::fcntl(fd, F_SETLK, &whole) != 0; --left) {
    if (errno != EAGAIN && errno != EACCES && errno != EINTR)
      return os_failure(fmt::format("cannot lock '{}'", path), errno);
    if (left == 0)
      return failure(fmt::format("another process has been writing '{}' for 10 s", path),
                     "end it, or name another file", EBUSY);
    ::nanosleep(&kNap, nullptr);
  }
  return {};
}

// Not as a standard descriptor that the program has closed: messages would go into the file.
Fd open_high(const char* path, int flags) {
  constexpr mode_t kMode = 0666;
  constexpr int kFirst = 3;
  const Fd low(::open(path, flags | O_CLOEXEC | O_NOCTTY, kMode));
  return Fd(low ? ::fcntl(low.get(), F_DUPFD_CLOEXEC, kFirst) : -1);
}

// A pipe or a terminal. A pipe that nobody reads is an error.
Result<void> write_to_device(const char* path, const ProcessReport& report, ProcessTrace& trace) {
  const Fd file = open_high(path, O_WRONLY | O_NONBLOCK);
  if (!file || ::fcntl(file.get(), F_SETFL, 0) != 0)
    return os_failure(fmt::format("cannot open '{}'", path), errno);
  return write_events(file.get(), path, std::string(kTraceBegin), report, trace);
}

}  // namespace

Result<void> check_trace(const char* path) {
  const Fd file(::open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat there{};
  if (!file || ::fstat(file.get(), &there) != 0 || !S_ISREG(there.st_mode) || there.st_size == 0)
    return {};
  return begins_as_trace(file.get()) ? Result<void>() : no_trace(path);
}

Result<void> write_trace(const ProcessReport& report, ProcessTrace trace, const char* path) {
  struct stat there{};
  if (::stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
    return write_to_device(path, report, trace);
  const Fd file = open_high(path, O_RDWR | O_CREAT);
  if (!file) return os_failure(fmt::format("cannot open '{}'", path), errno);
  if (auto locked = lock(file.get(), path); !locked) return locked;
  if (::fstat(file.get(), &there) != 0)
    return os_failure(fmt::format("cannot read '{}'", path), errno);
  off_t end = 0;
  if (there.st_size > 0) {
    const auto known = end_of_events(file.get(), there.st_size);
    if (!known || !begins_as_trace(file.get())) return no_trace(path);
    end = *known;
  }
  const auto back_to_end = [&] {
    return ::ftruncate(file.get(), end) == 0 && ::lseek(file.get(), end, SEEK_SET) == end;
  };
  if (!back_to_end()) return os_failure(fmt::format("cannot write '{}'", path), errno);
  auto written = write_events(file.get(), path, end == 0 ? std::string(kTraceBegin) : std::string(),
                              report, trace);
  if (!written && back_to_end() && end > 0)
    // NOLINTNEXTLINE(bugprone-unused-return-value): the first error is reported
    (void)write_all(file.get(), kTraceEnd, path);
  return written;
}

}  // namespace tacho::caliper

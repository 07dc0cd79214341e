#include "regions/running_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "base/file.hpp"
#include "base/safe_text.hpp"
#include "caliper/region_switch.hpp"

namespace tacho {
namespace {

using caliper::RegionControl;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostMaps = std::size_t{64} << 20;
constexpr std::size_t kMostReport = std::size_t{64} << 20;
constexpr std::size_t kMostCopies = 16;
constexpr std::chrono::milliseconds kNap{1};

// A line of /proc/PID/maps.
struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string_view rights;                             // "rw-p"
  std::pair<std::string_view, std::string_view> file;  // device and inode
  std::string_view path;
};

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

std::uint64_t hexadecimal(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return number;
}

Mapping mapping_of(std::string_view line) {
  Mapping mapping;
  const std::string_view range = take_word(line);
  const std::size_t dash = std::min(range.find('-'), range.size());
  mapping.begin = hexadecimal(range.substr(0, dash));
  mapping.end = hexadecimal(range.substr(std::min(dash + 1, range.size())));
  mapping.rights = take_word(line);
  take_word(line);  // the offset
  mapping.file.first = take_word(line);
  mapping.file.second = take_word(line);
  mapping.path = take_word(line);
  return mapping;
}

// Returns how many bytes could be read.
std::size_t read_at(int memory, std::uint64_t address, std::span<char> bytes) {
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t more =
        ::pread(memory, bytes.data() + got, bytes.size() - got, static_cast<off_t>(address + got));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    got += static_cast<std::size_t>(more);
  }
  return got;
}

bool read_whole(int memory, std::uint64_t address, std::span<char> bytes) {
  return read_at(memory, address, bytes) == bytes.size();
}

RegionControl control_from(std::span<const char> bytes) {
  RegionControl control;
  std::memcpy(&control, bytes.data(), sizeof control);
  return control;
}

// Whether the process has ended, also if its parent has not waited for it yet. `folder` is that of
// the process in /proc.
bool has_ended(const std::string& folder) {
  const std::string stat = first_line(folder + "stat");
  const std::size_t name = stat.rfind(") ");
  return name == stat.npos || stat.size() < name + 3 || stat[name + 2] == 'Z' ||
         stat[name + 2] == 'X';
}

}  // namespace

Result<RunningProcess> RunningProcess::open(pid_t pid) {
  const std::string folder = fmt::format("/proc/{}", pid);
  // All files are opened in this directory, so that they are of one process.
  const Fd process(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!process) return failure(fmt::format("there is no process {}", pid));
  const std::string inside = fmt::format("/proc/self/fd/{}/", process.get());
  RunningProcess running(pid, first_line(inside + "comm"),
                         Fd(::openat(process.get(), "mem", O_RDWR | O_CLOEXEC)));
  const int code = errno;
  if (has_ended(inside)) return running.ended();
  if (!running.memory_)
    return os_failure("cannot reach the memory of " + running.named(), code,
                      "run tacho as the user of the process, or as root; a process may also "
                      "forbid it, and so does kernel.yama.ptrace_scope unless it is 0");
  const auto maps = read_file(inside + "maps", kMostMaps);
  if (!maps) return std::unexpected(maps.error());
  if (maps->empty()) return running.ended();
  TACHO_TRY(running.find_copies(*maps));
  return running;
}

std::string RunningProcess::named() const {
  return fmt::format("process {} ('{}')", pid_, printable(name_));
}

std::unexpected<Error> RunningProcess::ended() const {
  return failure(named() + " is no longer there: it has ended, or runs another program by now");
}

// Only in modules: other private mappings can be large.
Result<void> RunningProcess::find_copies(const std::string& maps) {
  std::vector<Mapping> all;
  std::set<std::pair<std::string_view, std::string_view>> modules;
  bool has_library = false;
  for (const auto line : maps | std::views::split('\n')) {
    if (line.empty()) continue;
    const Mapping& mapping = all.emplace_back(mapping_of(std::string_view(line)));
    has_library = has_library || mapping.path.find("/libtacho.so.") != mapping.path.npos;
    if (mapping.rights.find('x') != mapping.rights.npos) modules.insert(mapping.file);
  }
  for (const Mapping& mapping : all)
    if (mapping.rights == "rw-p" && mapping.path.starts_with('/') && modules.contains(mapping.file))
      find_copies_in(mapping.begin, mapping.end);
  if (!copies_.empty()) return {};
  if (has_library)
    return failure(named() +
                       " has another version of tacho's library, whose regions can't be turned on "
                       "from outside",
                   "link it with the library of this version, or start it with TACHO_REGIONS set");
  return failure(named() + " is not linked with tacho's library",
                 "docs/how-to/measure-regions.md says how to mark regions and to link it");
}

void RunningProcess::find_copies_in(std::uint64_t begin, std::uint64_t end) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::vector<char> bytes;
  for (std::uint64_t at = begin; at < end && copies_.size() < kMostCopies; at += kChunk) {
    // A place that lies across the end of a chunk is read with the first one.
    const std::uint64_t size = std::min<std::uint64_t>(kChunk + sizeof(RegionControl), end - at);
    bytes.resize(static_cast<std::size_t>(size));
    bytes.resize(read_at(memory_.get(), at, bytes));
    for (std::size_t i = 0; i < kChunk && i + sizeof(RegionControl) <= bytes.size();
         i += alignof(RegionControl)) {
      if (std::memcmp(&bytes[i], caliper::kControlMark.data(), sizeof caliper::kControlMark) != 0)
        continue;
      const RegionControl control = control_from(std::span(bytes).subspan(i));
      if (control.self == at + i) copies_.push_back({at + i, control});
    }
  }
}

Result<RegionControl> RunningProcess::control_of(const Copy& copy) const {
  std::array<char, sizeof(RegionControl)> bytes{};
  if (!read_whole(memory_.get(), copy.address, bytes)) return ended();
  return control_from(bytes);
}

// Requests are one byte of the word, which only other processes write. Those that the process has
// not taken yet stay, apart from `instead_of`.
Result<void> RunningProcess::ask(const Copy& copy, std::uint32_t request,
                                 std::uint32_t instead_of) {
  std::array<char, 1> byte{};
  const std::uint64_t place = copy.control.state + 1;
  if (!read_whole(memory_.get(), place, byte)) return ended();
  const auto pending = static_cast<std::uint8_t>(byte[0]) & ~(instead_of >> 8);
  const auto asked = static_cast<std::uint8_t>(pending | (request >> 8));
  if (::pwrite(memory_.get(), &asked, 1, static_cast<off_t>(place)) != 1) return ended();
  return {};
}

Result<void> RunningProcess::turn(bool on) {
  for (const Copy& copy : copies_)
    TACHO_TRY(
        ask(copy, on ? caliper::kAskOn : caliper::kAskOff, caliper::kAskOn | caliper::kAskOff));
  return {};
}

// The report with a number above that of `before`. Empty if there is none yet, or if it is just
// being written.
Result<std::string> RunningProcess::report_after(const RegionControl& before, const Copy& copy,
                                                 std::uint64_t most) const {
  const RegionControl now = TACHO_TRY(control_of(copy));
  if (now.report_number / 2 <= before.report_number / 2 || now.report_number % 2 != 0)
    return std::string();
  if (now.report_size == 0)
    return failure(named() + " has no memory for a report", "raise its limit (ulimit -v)");
  std::string lines(static_cast<std::size_t>(std::min(now.report_size, most)), '\0');
  const bool whole = read_whole(memory_.get(), now.report, lines);
  if (!whole || TACHO_TRY(control_of(copy)).report_number != now.report_number) lines.clear();
  return lines;
}

// A copy of the library that executes no regions makes no report. It is not waited for when others
// have made theirs.
Result<std::string> RunningProcess::report(std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kPatienceWithOthers{500};
  auto last_moment = Clock::now() + patience;
  std::vector<std::pair<Copy, RegionControl>> waiting;
  for (const Copy& copy : copies_) {
    const RegionControl before = TACHO_TRY(control_of(copy));
    waiting.emplace_back(copy, before);
    TACHO_TRY(ask(copy, caliper::kAskReport, 0));
  }
  std::string lines;
  while (!waiting.empty() && Clock::now() < last_moment) {
    for (std::size_t i = waiting.size(); i-- > 0;) {
      const auto& [copy, before] = waiting[i];
      const std::string more = TACHO_TRY(report_after(before, copy, kMostReport - lines.size()));
      if (more.empty()) continue;
      lines += more;
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
      last_moment = std::min(last_moment, Clock::now() + kPatienceWithOthers);
    }
    std::this_thread::sleep_for(kNap);
  }
  for (const auto& [copy, before] : waiting) TACHO_TRY(ask(copy, 0, caliper::kAskReport));
  if (!lines.empty()) return lines;
  return failure(
      fmt::format("{} made no report: it does so when it begins a region, and it began none",
                  named()),
      "wait longer with --wait SECONDS");
}

}  // namespace tacho

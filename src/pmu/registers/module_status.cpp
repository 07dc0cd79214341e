#include "pmu/registers/module_status.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/parse_number.hpp"

namespace tacho::arm {
namespace {

constexpr std::string_view kLoad = "sudo modprobe tacho_pmu, or sudo insmod kmod/tacho_pmu.ko";
constexpr std::string_view kSameVersion = "install the module and the program of the same version";

constexpr std::array kArchitectures = {
    std::pair{Architecture::armv6, std::string_view("armv6")},
    std::pair{Architecture::armv7, std::string_view("armv7")},
    std::pair{Architecture::aarch64, std::string_view("aarch64")}};

// Removes the next word, and the blanks before it, from the line.
std::string_view take_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

std::unexpected<Error> damaged(std::string_view line) {
  return failure(fmt::format("the status of the module tacho_pmu is damaged: '{}'", line),
                 std::string(kSameVersion));
}

Result<CpuStatus> parse_cpu(std::string_view rest, std::string_view line) {
  const auto cpu = parse_number<int>(take_word(rest));
  if (!cpu) return damaged(line);
  CpuStatus status{.cpu = *cpu, .state = {}};
  while (!rest.empty()) {
    const std::string_view word = take_word(rest);
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(std::min(equals + 1, word.size()));
    if (key == "state") status.state = value;
    if (key == "counting") status.counting = value == "yes";
    if (key == "counters") {
      const auto counters = parse_number<int>(value);
      if (!counters || *counters < 0 || *counters > 31) return damaged(line);
      status.counters = *counters;
    }
    if (key == "disturbed") {
      const auto times = parse_number<std::uint64_t>(value);
      if (!times) return damaged(line);
      status.disturbed = *times;
    }
  }
  if (status.state.empty()) return damaged(line);
  return status;
}

Result<void> check_interface(std::string_view value, std::string_view line) {
  const auto interface = parse_number<int>(value);
  if (!interface) return damaged(line);
  if (*interface == kInterface) return {};
  return failure(
      fmt::format("the module tacho_pmu is too {} for this tacho: its interface is {}, not {}",
                  *interface < kInterface ? "old" : "new", *interface, kInterface),
      std::string(kSameVersion));
}

// States other than "on".
struct Obstacle {
  std::string_view state;
  std::string_view why;
  std::string_view remedy;
};
constexpr std::array kObstacles = {
    Obstacle{"perf", "perf holds its counters now", "end the other users of perf_event"},
    Obstacle{"offline", "it is offline", "bring it online, or choose another one with taskset"},
    Obstacle{"no-pmu", "it has no performance counters, or an emulator's dummies of them",
             "QEMU's ARM1176 has dummies: measure on the real board, or simulate: --pmu simulated"},
};

}  // namespace

std::string_view to_string(Architecture architecture) {
  return std::ranges::find(kArchitectures, architecture, [](auto& row) { return row.first; })
      ->second;
}

std::optional<Architecture> architecture_named(std::string_view word) {
  const auto* row =
      std::ranges::find(kArchitectures, word, [](const auto& each) { return each.second; });
  if (row == kArchitectures.end()) return std::nullopt;
  return row->first;
}

const CpuStatus* Status::of(int cpu) const {
  const auto found = std::ranges::find(cpus, cpu, &CpuStatus::cpu);
  return found == cpus.end() ? nullptr : &*found;
}

Result<Status> parse_status(std::string_view text) {
  Status status;
  bool interface = false;
  bool architecture = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::string_view rest = line;
    const std::string_view key = take_word(rest);
    // The interface comes first, because the other lines depend on it.
    if (!interface && key != "interface") return damaged(line);
    if (key == "interface") {
      TACHO_TRY(check_interface(take_word(rest), line));
      interface = true;
    } else if (key == "module") {
      status.module = take_word(rest);
    } else if (key == "access") {
      status.all = take_word(rest) == "all";
    } else if (key == "architecture") {
      const auto known = architecture_named(take_word(rest));
      if (!known) return damaged(line);
      status.architecture = *known;
      architecture = true;
    } else if (key == "cpu") {
      status.cpus.push_back(TACHO_TRY(parse_cpu(rest, line)));
    }
  }
  if (!interface || !architecture) return damaged("it ends too early");
  return status;
}

std::optional<Error> objection(const Status& status, int cpu) {
  if (!status.all)
    return Error{
        "the module tacho_pmu exposes only the cycle counter (access=cycles)",
        "load it with access=all: sudo rmmod tacho_pmu; sudo modprobe tacho_pmu access=all"};
  const CpuStatus* of_cpu = status.of(cpu);
  if (of_cpu == nullptr)
    return Error{fmt::format("the module tacho_pmu knows no CPU {}", cpu),
                 "choose another one with taskset"};
  if (!of_cpu->on()) {
    for (const Obstacle& obstacle : kObstacles)
      if (obstacle.state == of_cpu->state)
        return Error{fmt::format("the registers of CPU {} can't be used: {}", cpu, obstacle.why),
                     std::string(obstacle.remedy)};
    return Error{
        fmt::format("the registers of CPU {} can't be used: the module tacho_pmu says '{}'", cpu,
                    of_cpu->state),
        std::string(kSameVersion)};
  }
  if (!of_cpu->counting)
    return Error{
        fmt::format("the counters of CPU {} do not count: its cycle counter does not advance", cpu),
        "an emulator may have registers that are dummies, as QEMU's ARM1176 has; measure "
        "on the real board, or simulate: --pmu simulated"};
  return std::nullopt;
}

Error not_loaded(const std::string& path) {
  return {fmt::format("the kernel module tacho_pmu is not loaded: there is no '{}'", path),
          std::string(kLoad), ENOENT};
}

Result<StatusFile> StatusFile::open(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::unexpected(not_loaded(path));
  if (!file) return os_failure(fmt::format("cannot open '{}'", path), errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return failure("another tacho counts with the registers: they serve one at a time",
                   "wait for its end", EBUSY);
  return StatusFile(std::move(file), path);
}

Result<Status> StatusFile::read() const {
  constexpr std::size_t kLongest = 1 << 20;  // bytes
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got =
        ::pread(file_.get(), buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return os_failure(fmt::format("cannot read '{}'", path_), errno,
                        "the module tacho_pmu may have been unloaded: " + std::string(kLoad));
    if (got == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > kLongest) return damaged("it does not end");
  }
  return parse_status(text);
}

}  // namespace tacho::arm

#include "base/cpus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <limits>
#include <string>

#include "base/file.hpp"

namespace tacho {
namespace {

constexpr int kMostCpus = 1 << 16;  // the kernel's own limit is 8,192 (x86, NR_CPUS)

// A set of CPUs, one bit each. cpu_set_t has room for 1,024 CPUs; the kernel may have more.
using Word = unsigned long;
constexpr std::size_t kWordBits = std::numeric_limits<Word>::digits;
using CpuSet = std::array<Word, kMostCpus / kWordBits>;

}  // namespace

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    int first = 0;
    auto parsed = std::from_chars(at, end, first);
    if (parsed.ec != std::errc() || first < 0) return {};
    int last = first;
    if (parsed.ptr != end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
      if (parsed.ec != std::errc()) return {};
    }
    if (last < first || last >= kMostCpus) return {};
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    at = parsed.ptr;
    if (at != end && *at++ != ',') return {};
  }
  return cpus;
}

std::string cpu_list_text(const std::vector<int>& cpus) {
  std::string text;
  for (auto first = cpus.begin(); first != cpus.end();) {
    auto last = first;
    while (last + 1 != cpus.end() && *(last + 1) == *last + 1) ++last;
    if (!text.empty()) text += ",";
    text += first == last ? fmt::format("{}", *first) : fmt::format("{}-{}", *first, *last);
    first = last + 1;
  }
  return text;
}

std::string cpus_in_words(std::string_view list) {
  const bool several = list.find_first_of(",-") != std::string_view::npos;
  return fmt::format("CPU{} {}", several ? "s" : "", list);
}

// Makes the system call itself: it returns how many bytes it has filled, so the loop is short. This
// function is called often.
Result<std::vector<int>> allowed_cpus(pid_t pid) {
  CpuSet set;
  const long filled = ::syscall(SYS_sched_getaffinity, pid, sizeof set, set.data());
  if (filled < 0) return os_failure("cannot read which CPUs a process may run on", errno);
  std::vector<int> cpus;
  for (std::size_t i = 0; i < static_cast<std::size_t>(filled) / sizeof(Word); ++i)
    for (Word left = set[i]; left != 0; left &= left - 1)
      cpus.push_back(static_cast<int>(i * kWordBits) + std::countr_zero(left));
  return cpus;
}

int keep_to_cpu(pid_t pid, int cpu) {
  return keep_to_cpus(pid, {&cpu, 1});
}

int keep_to_cpus(pid_t pid, std::span<const int> cpus) {
  CpuSet set{};
  if (cpus.empty()) set.fill(~Word{0});
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= kMostCpus) return EINVAL;
    const auto bit = static_cast<std::size_t>(cpu);
    set.at(bit / kWordBits) |= Word{1} << (bit % kWordBits);
  }
  return ::syscall(SYS_sched_setaffinity, pid, sizeof set, set.data()) == 0 ? 0 : errno;
}

std::vector<int> online_cpus() {
  return parse_cpu_list(first_line("/sys/devices/system/cpu/online"));
}

std::vector<int> allowed_cpus() {
  return allowed_cpus(0).value_or(std::vector<int>());
}

Result<void> keep_to_cpu(int cpu) {
  const std::vector<int> allowed = allowed_cpus();
  const int code = keep_to_cpu(0, cpu);
  if (code == 0) return {};
  const std::string remedy = fmt::format("choose one of {}", fmt::join(allowed, ", "));
  if (code == EINVAL)
    return failure(
        fmt::format("CPU {} does not exist, is offline, or may not be used by this process", cpu),
        remedy, code);
  return os_failure(fmt::format("cannot stay on CPU {}", cpu), code, remedy);
}

// The kernel names only CPUs that are online. A thread that could run on all of them could run on
// every CPU, and may go on to those that come online later.
RestoredAffinity::~RestoredAffinity() {
  if (before_.empty()) return;
  if (before_ == online_cpus()) before_.clear();
  keep_to_cpus(0, before_);
}

}  // namespace tacho

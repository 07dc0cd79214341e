#include "doctor/examine_registers.hpp"

#include <fmt/ranges.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/number.hpp"

namespace tacho::arm {
namespace {

constexpr const char* kName = "arm-registers";

// "CPU 0: on, 6 counters"
std::string state_of(const CpuStatus& cpu) {
  std::string text = fmt::format("CPU {}: {}", cpu.cpu, cpu.state);
  if (!cpu.on()) return text;
  text += fmt::format(", {} counters", cpu.counters);
  if (!cpu.counting) text += " that do not count";
  if (cpu.disturbed > 0) text += fmt::format(", disturbed {}", plural(cpu.disturbed, "time", {}));
  return text;
}

// Read without the lock, because nothing is counted here.
[[maybe_unused]] Result<Status> look() {
  const auto text = read_file(kStatusPath);
  if (text) return parse_status(*text);
  if (text.error().code == ENOENT) return std::unexpected(not_loaded(kStatusPath));
  return std::unexpected(text.error());
}

}  // namespace

Finding judge_status(const Result<Status>& status, bool perf_counts) {
  if (!status)
    // Where perf_event counts, the module is not needed.
    return finding(kName,
                   perf_counts && status.error().code == ENOENT ? Verdict::ok : Verdict::warning,
                   status.error().what, status.error().remedy);
  std::vector<std::string> cpus;
  std::optional<Error> first;
  bool usable = false;
  for (const CpuStatus& cpu : status->cpus) {
    cpus.push_back(state_of(cpu));
    const auto objects = objection(*status, cpu.cpu);
    usable = usable || !objects;
    if (!first) first = objects;
  }
  const std::string detail = fmt::format("the module tacho_pmu {} ({}): {}", status->module,
                                         to_string(status->architecture), fmt::join(cpus, "; "));
  if (!usable)
    return first ? finding(kName, Verdict::warning, detail + "; " + first->what, first->remedy)
                 : finding(kName, Verdict::warning, detail + "; it knows no CPU");
  return finding(kName, Verdict::ok,
                 detail + (perf_counts ? "; perf_event counts too, and is to be preferred"
                                       : "; --pmu arm-registers counts with them"));
}

std::optional<Finding> examine_registers([[maybe_unused]] bool perf_counts) {
#if defined(__arm__) || defined(__aarch64__)
  return judge_status(look(), perf_counts);
#else
  return std::nullopt;
#endif
}

}  // namespace tacho::arm

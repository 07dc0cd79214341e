#include "pmu/registers/open_core.hpp"

#include <ranges>

#include "base/cpus.hpp"
#include "pmu/registers/core_id.hpp"
#include "pmu/registers/cpu_observer.hpp"
#include "pmu/registers/cpu_registers.hpp"
#include "pmu/registers/pinning.hpp"

namespace tacho::arm {
namespace {

// The last CPU that can count. If there is none, the error is the last CPU's.
Result<int> choose_cpu(const Status& status, const std::vector<int>& allowed) {
  for (const int cpu : allowed | std::views::reverse)
    if (!objection(status, cpu)) return cpu;
  return std::unexpected(*objection(status, allowed.back()));
}

}  // namespace

Result<Core> open_core(const std::vector<CoreEvents>& known, const std::string& status_path) {
  auto file = TACHO_TRY(StatusFile::open(status_path));
  const auto status = TACHO_TRY(file.read());
  const auto allowed = TACHO_TRY(allowed_cpus(0));
  const auto cpu = TACHO_TRY(choose_cpu(status, allowed));
  auto events = TACHO_TRY(events_of_cpu(cpu, known));
  auto registers = TACHO_TRY(cpu_registers(status.architecture));
  TACHO_TRY(pin(0, cpu));
  registers->read(Register::control);
  TACHO_TRY(registers->settle());
  return Core{.events = std::move(events),
              .architecture = status.architecture,
              .cpu = cpu,
              .counters = status.of(cpu)->counters,
              .registers = std::move(registers),
              .observer = std::make_unique<CpuObserver>(std::move(file), cpu),
              .clock = Bank::monotonic};
}

}  // namespace tacho::arm

// Finds the CPU to count on, and everything that it takes to do so.
#include <ranges>

#include "base/cpus.hpp"
#include "pmu/registers/arm_registers.hpp"
#include "pmu/registers/core.hpp"
#include "pmu/registers/cpu_witness.hpp"
#include "pmu/registers/pinning.hpp"

namespace tacho::arm {
namespace {

// The last CPU that can be counted; the error is that of the last one.
Result<int> choose_cpu(const Status& status, const std::vector<int>& allowed) {
  for (const int cpu : allowed | std::views::reverse)
    if (!objection(status, cpu)) return cpu;
  return std::unexpected(*objection(status, allowed.back()));
}

}  // namespace

Result<Core> open_core(const std::vector<CoreEvents>& known, const std::string& status_path) {
  auto file = StatusFile::open(status_path);
  if (!file) return std::unexpected(file.error());
  const auto status = file->read();
  if (!status) return std::unexpected(status.error());
  const auto allowed = allowed_cpus(0);
  if (!allowed) return std::unexpected(allowed.error());
  const auto cpu = choose_cpu(*status, *allowed);
  if (!cpu) return std::unexpected(cpu.error());
  auto events = events_of_cpu(*cpu, known);
  if (!events) return std::unexpected(events.error());
  auto registers = cpu_registers(status->architecture);
  if (!registers) return std::unexpected(registers.error());
  if (auto pinned = pin(0, *cpu); !pinned) return std::unexpected(pinned.error());
  (*registers)->read(Register::control);
  if (auto settled = (*registers)->settle(); !settled) return std::unexpected(settled.error());
  return Core{.events = std::move(*events),
              .architecture = status->architecture,
              .cpu = *cpu,
              .counters = status->of(*cpu)->counters,
              .registers = std::move(*registers),
              .witness = std::make_unique<CpuWitness>(std::move(*file), *cpu),
              .clock = Bank::monotonic};
}

}  // namespace tacho::arm

#include "pmu/choice/make_pmu.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <vector>

#include "base/cpus.hpp"
#include "pmu/perf/perf_event.hpp"
#include "pmu/registers/arm_registers.hpp"
#include "pmu/simulated/simulated.hpp"

namespace tacho {
namespace {

using Made = Result<std::unique_ptr<Pmu>>;

// Opens cycles on each core PMU. It is an error if none of them can count.
Result<void> open_cycles(Pmu& pmu) {
  const Event cycles = TACHO_TRY(pmu.resolve("cycles"));
  Result<void> opened;
  for (const Event& part : pmu.parts_of(cycles)) {
    const auto group = pmu.open({&part, 1}, Self{}, Start::stopped);
    if (group) return {};
    opened = std::unexpected(group.error());
  }
  return opened;
}

// The core's counters through perf_event; an error if they can't count cycles here.
Made make_hardware(const Catalogue& catalogue) {
  std::unique_ptr<Pmu> pmu = std::make_unique<PerfEventPmu>(catalogue, Trust::believed);
  const auto opened = open_cycles(*pmu);
  if (!opened)
    return failure(fmt::format("--pmu {}: {}", to_string(PmuKind::hardware), opened.error().what),
                   opened.error().remedy, opened.error().code);
  return pmu;
}

Made make_simulated(const PmuChoice& choice, const Catalogue& catalogue) {
  if (!choice.model)
    return failure("--pmu simulated: there is no model", "give one: simulated:MODEL");
  auto simulator = TACHO_TRY(find_simulator());
  return std::make_unique<SimulatedPmu>(catalogue, *choice.model, std::move(simulator));
}

Made make_registers(const PmuChoice& choice, const Catalogue& catalogue) {
  if (!choice.cores)
    return failure("--pmu arm-registers: there are no lists of events",
                   "install tacho's data files");
  const auto cores = TACHO_TRY(choice.cores());
  auto core = TACHO_TRY(arm::open_core(cores));
  return std::make_unique<arm::ArmRegistersPmu>(catalogue, std::move(core));
}

bool counts_cycles(PerfEventPmu pmu) {
  return open_cycles(pmu).has_value();
}

Made make_auto(const PmuChoice& choice, const Catalogue& catalogue) {
  if (registers_are_open() && choice.launches &&
      allowed_cpus(0).value_or(std::vector<int>()).size() == 1 &&
      !counts_cycles(PerfEventPmu(catalogue, Trust::checked)))
    if (auto registers = make_registers(choice, catalogue)) return registers;
  return std::make_unique<PerfEventPmu>(catalogue, Trust::checked);
}

}  // namespace

bool registers_are_open() {
  return ::access(arm::kStatusPath, F_OK) == 0;
}

Result<std::unique_ptr<Pmu>> make_pmu(const PmuChoice& choice, const Catalogue& catalogue) {
  if (!choice.kind) return make_auto(choice, catalogue);
  switch (*choice.kind) {
    case PmuKind::hardware:
      return make_hardware(catalogue);
    case PmuKind::software:
      return std::make_unique<PerfEventPmu>(catalogue, Trust::refused);
    case PmuKind::simulated:
      return make_simulated(choice, catalogue);
    case PmuKind::arm_registers:
      return make_registers(choice, catalogue);
    case PmuKind::none:
      break;
  }
  return failure("no PMU to count with", "leave --pmu out");
}

}  // namespace tacho

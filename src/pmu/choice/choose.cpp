#include "pmu/choice/choose.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/cpus.hpp"
#include "pmu/perf/perf_event.hpp"
#include "pmu/registers/arm_registers.hpp"
#include "pmu/simulated/simulated.hpp"

namespace tacho {
namespace {

using Made = Result<std::unique_ptr<Pmu>>;

template <Trust trust>
Made make_perf_event(const PmuChoice&, const Catalogue& catalogue) {
  return std::make_unique<PerfEventPmu>(catalogue, trust);
}

Made make_simulated(const PmuChoice& choice, const Catalogue& catalogue) {
  if (!choice.model)
    return failure("--pmu simulated: no model to simulate", "give one: simulated:MODEL");
  auto simulator = TACHO_TRY(find_simulator());
  return std::make_unique<SimulatedPmu>(catalogue, *choice.model, std::move(simulator));
}

Made make_registers(const PmuChoice& choice, const Catalogue& catalogue) {
  if (!choice.cores)
    return failure("--pmu arm-registers: no lists of events", "install tacho's data files");
  const auto cores = TACHO_TRY(choice.cores());
  auto core = TACHO_TRY(arm::open_core(cores));
  return std::make_unique<arm::ArmRegistersPmu>(catalogue, std::move(core));
}

bool counts_cycles(PerfEventPmu pmu) {
  const auto cycles = pmu.resolve("cycles");
  return cycles && pmu.open({&*cycles, 1}, Self{}, Start::stopped);
}

Made make_auto(const PmuChoice& choice, const Catalogue& catalogue) {
  if (registers_are_open() && choice.launches &&
      allowed_cpus(0).value_or(std::vector<int>()).size() == 1 &&
      !counts_cycles(PerfEventPmu(catalogue, Trust::checked)))
    if (auto registers = make_registers(choice, catalogue)) return registers;
  return make_perf_event<Trust::checked>(choice, catalogue);
}

struct Kind {
  std::string_view name;
  Made (*make)(const PmuChoice&, const Catalogue&);
  std::string_view needs;  // an event without which the kind is of no use here
};

constexpr std::array kKinds = {
    Kind{"auto", make_auto, ""},
    Kind{to_string(PmuKind::hardware), make_perf_event<Trust::believed>, "cycles"},
    Kind{to_string(PmuKind::software), make_perf_event<Trust::refused>, ""},
    Kind{kSimulatedKind, make_simulated, ""}, Kind{kRegistersKind, make_registers, ""}};

}  // namespace

std::vector<std::string> pmu_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

bool registers_are_open() {
  return ::access(arm::kStatusPath, F_OK) == 0;
}

Result<std::unique_ptr<Pmu>> choose_pmu(const PmuChoice& choice, const Catalogue& catalogue) {
  const auto* found = std::ranges::find(kKinds, choice.kind, &Kind::name);
  if (found == kKinds.end())
    return failure(fmt::format("no PMU of the kind '{}'", choice.kind),
                   fmt::format("--pmu takes {}", fmt::join(pmu_kinds(), ", ")));
  auto pmu = found->make(choice, catalogue);
  if (!pmu || found->needs.empty()) return pmu;
  auto event = TACHO_TRY((*pmu)->resolve(found->needs));
  auto opened = (*pmu)->open({&event, 1}, Self{}, Start::stopped);
  if (!opened)
    return failure(fmt::format("--pmu {}: {}", choice.kind, opened.error().what),
                   opened.error().remedy, opened.error().code);
  return pmu;
}

}  // namespace tacho

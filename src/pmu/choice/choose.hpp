// The table of PMUs that a user can ask for.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pmu_kind.hpp"
#include "base/result.hpp"
#include "events/catalogue.hpp"
#include "events/core_events.hpp"
#include "pmu/pmu.hpp"
#include "simulation/cpu_model.hpp"

namespace tacho {

struct PmuChoice {
  std::string kind;               // one of pmu_kinds()
  std::optional<CpuModel> model;  // what to simulate
  // The cores whose registers can be counted with; asked for when that is to be done.
  std::function<Result<std::vector<CoreEvents>>()> cores;
  bool launches = true;  // a command, rather than attaching to what runs
};

// "auto", "hardware", "software", "simulated", "arm-registers": what --pmu takes.
std::vector<std::string> pmu_kinds();

// The kind that works from a model of a processor, rather than from one.
inline constexpr std::string_view kSimulatedKind = to_string(PmuKind::simulated);
inline constexpr std::string_view kRegistersKind = to_string(PmuKind::arm_registers);

// The kernel module is there that lets arm-registers count.
bool registers_are_open();

// `catalogue` must outlive the PMU. "auto" is perf_event, or the registers of an ARM core where
// perf_event can't count cycles, they can, and the calling thread may run on one CPU only anyway:
// they keep the command to one. Asking for hardware where none can be used, or for a simulation
// where the simulator is missing, is an error, never a silent fallback.
Result<std::unique_ptr<Pmu>> choose_pmu(const PmuChoice& choice, const Catalogue& catalogue);

}  // namespace tacho

// The option --pmu: a kind of PMU, with a model for a simulation.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pmu_kind.hpp"
#include "base/result.hpp"
#include "events/core_events.hpp"
#include "simulation/cpu_model.hpp"

namespace tacho {

// The user's choice of a PMU.
struct PmuChoice {
  std::optional<PmuKind> kind;    // nothing: auto
  std::optional<CpuModel> model;  // of a simulation
  // Reads the lists of ARM cores' events. Called only if registers are to count.
  std::function<Result<std::vector<CoreEvents>>()> cores;
  bool launches = true;  // tacho launches a command; false: it attaches to a running process
};

// The words of --pmu: "auto", "hardware", "software", "simulated", "arm-registers".
std::vector<std::string> pmu_words();

// These words, and simulated:MODEL of each model that there is. Reads names of files.
std::vector<std::string> pmu_words_with_models();

// The MODEL of `simulated:MODEL`: empty for `simulated`, nothing for other words.
std::optional<std::string_view> simulated_model(std::string_view word);

// The choice that a word of --pmu makes. Reads the model of a simulation; the default is "host".
Result<PmuChoice> parse_pmu_option(std::string_view word);

}  // namespace tacho

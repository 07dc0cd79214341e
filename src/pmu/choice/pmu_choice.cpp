#include "pmu/choice/pmu_choice.hpp"

#include "events/find_data.hpp"
#include "simulation/find_model.hpp"

namespace tacho {

std::optional<std::string_view> simulated_model(std::string_view word) {
  if (!word.starts_with(kSimulatedKind)) return std::nullopt;
  word.remove_prefix(kSimulatedKind.size());
  if (!word.empty() && !word.starts_with(':')) return std::nullopt;
  return word.substr(word.empty() ? 0 : 1);
}

Result<PmuChoice> pmu_choice(std::string_view word) {
  const auto name = simulated_model(word);
  if (!name) return PmuChoice{.kind = std::string(word), .model = {}, .cores = known_cores};
  auto model = TACHO_TRY(find_model(name->empty() ? "host" : *name));
  return PmuChoice{
      .kind = std::string(kSimulatedKind), .model = std::move(model), .cores = known_cores};
}

}  // namespace tacho

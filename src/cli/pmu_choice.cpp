#include "cli/pmu_choice.hpp"

#include <utility>

#include "cli/data_files.hpp"

namespace tacho {
namespace {

std::pair<std::string_view, std::string_view> split(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == word.npos) return {word, "host"};
  return {word.substr(0, colon), word.substr(colon + 1)};
}

}  // namespace

bool asks_for_simulation(std::string_view word) {
  return split(word).first == kSimulatedKind;
}

Result<PmuChoice> pmu_choice(std::string_view word) {
  if (!asks_for_simulation(word)) return PmuChoice{.kind = std::string(word), .model = {}};
  auto model = find_model(split(word).second);
  if (!model) return std::unexpected(model.error());
  return PmuChoice{.kind = std::string(kSimulatedKind), .model = std::move(*model)};
}

}  // namespace tacho

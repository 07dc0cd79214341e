#include "pmu/choice/pmu_option.hpp"

#include <fmt/ranges.h>

#include <array>

#include "events/find_data.hpp"
#include "simulation/find_model.hpp"

namespace tacho {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr std::array kKinds = {PmuKind::hardware, PmuKind::software, PmuKind::simulated,
                               PmuKind::arm_registers};

}  // namespace

std::vector<std::string> pmu_words() {
  std::vector<std::string> words = {std::string(kAuto)};
  for (const PmuKind kind : kKinds) words.emplace_back(to_string(kind));
  return words;
}

std::vector<std::string> pmu_words_with_models() {
  std::vector<std::string> words = pmu_words();
  for (const std::string& model : model_names())
    words.push_back(fmt::format("{}:{}", to_string(PmuKind::simulated), model));
  return words;
}

std::optional<std::string_view> simulated_model(std::string_view word) {
  constexpr std::string_view kSimulated = to_string(PmuKind::simulated);
  if (!word.starts_with(kSimulated)) return std::nullopt;
  word.remove_prefix(kSimulated.size());
  if (!word.empty() && !word.starts_with(':')) return std::nullopt;
  return word.substr(word.empty() ? 0 : 1);
}

Result<PmuChoice> parse_pmu_option(std::string_view word) {
  PmuChoice choice{.kind = {}, .model = {}, .cores = known_cores};
  if (word == kAuto) return choice;
  if (const auto name = simulated_model(word)) {
    choice.kind = PmuKind::simulated;
    choice.model = TACHO_TRY(find_model(name->empty() ? "host" : *name));
    return choice;
  }
  for (const PmuKind kind : kKinds)
    if (word == to_string(kind)) choice.kind = kind;
  if (choice.kind) return choice;
  return failure(fmt::format("no PMU of the kind '{}'", word),
                 fmt::format("--pmu takes {}", fmt::join(pmu_words(), ", ")));
}

}  // namespace tacho

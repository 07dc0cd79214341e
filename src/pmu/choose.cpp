#include "pmu/choose.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "pmu/perf_event.hpp"

namespace tacho {
namespace {

struct Kind {
  std::string_view name;
  Trust trust;
  std::string_view needs;  // an event without which the kind is of no use here
};

constexpr std::array kKinds = {Kind{"auto", Trust::checked, ""},
                               Kind{"hardware", Trust::believed, "cycles"},
                               Kind{"software", Trust::refused, ""}};

}  // namespace

std::vector<std::string> pmu_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

Result<std::unique_ptr<Pmu>> choose_pmu(std::string_view kind, const Catalogue& catalogue) {
  const auto* found = std::ranges::find(kKinds, kind, &Kind::name);
  if (found == kKinds.end())
    return failure(fmt::format("no PMU of the kind '{}'", kind),
                   fmt::format("--pmu takes {}", fmt::join(pmu_kinds(), ", ")));
  auto pmu = std::make_unique<PerfEventPmu>(catalogue, found->trust);
  if (found->needs.empty()) return pmu;
  auto event = pmu->resolve(found->needs);
  if (!event) return std::unexpected(event.error());
  auto opened = pmu->open({&*event, 1}, Self{}, Start::stopped);
  if (!opened)
    return failure(fmt::format("--pmu {}: {}", kind, opened.error().what), opened.error().remedy,
                   opened.error().code);
  return pmu;
}

}  // namespace tacho

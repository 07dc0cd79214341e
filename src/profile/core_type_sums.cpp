#include "profile/core_type_sums.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "events/modifiers.hpp"

namespace tacho {
namespace {

// How the names of PMUs of cores begin: Intel's, ARM's and Apple's (list of the kernel's drivers).
constexpr auto kCorePmus = std::to_array<std::string_view>({"cpu_", "armv", "apple_"});

// An event on one type of core: the name without its PMU, and what tells the types apart.
struct OnCoreType {
  std::string name;
  std::string type;
};

// "cpu_core/cycles/P" is cycles:P on cpu_core.
std::optional<OnCoreType> named_after_pmu(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::size_t last = name.rfind('/');
  if (slash == name.npos || slash == last) return std::nullopt;
  const std::string_view pmu = name.substr(0, slash);
  const std::string_view terms = name.substr(slash + 1, last - slash - 1);
  if (terms.empty() || terms.find_first_of("=,") != terms.npos ||
      std::ranges::none_of(kCorePmus, [&](std::string_view each) { return pmu.starts_with(each); }))
    return std::nullopt;
  return OnCoreType{with_modifiers(terms, name.substr(last + 1)), std::string(pmu)};
}

// The kernel's generic events have the number of the PMU in the upper half of config.
std::optional<OnCoreType> on_core_type(const perfdata::RecordedEvent& event) {
  constexpr std::uint32_t kHardware = 0, kCache = 3;  // PERF_TYPE_*
  if (auto named = named_after_pmu(event.name)) return named;
  const std::uint64_t pmu = event.config >> 32;
  if ((event.type != kHardware && event.type != kCache) || pmu == 0 || event.name.empty())
    return std::nullopt;
  return OnCoreType{event.name, std::to_string(pmu)};
}

}  // namespace

std::vector<perfdata::EventSum> core_type_sums(const perfdata::Description& recording) {
  struct Part {
    OnCoreType what;
    std::size_t event;
  };
  std::vector<Part> parts;
  for (std::size_t i = 0; i < recording.events.size(); ++i)
    if (auto what = on_core_type(recording.events[i])) parts.push_back({std::move(*what), i});
  std::ranges::stable_sort(
      parts, {}, [](const Part& part) { return std::tie(part.what.name, part.what.type); });
  std::vector<perfdata::EventSum> sums;
  for (auto first = parts.begin(); first != parts.end();) {
    const auto last = std::find_if(
        first, parts.end(), [&](const Part& part) { return part.what.name != first->what.name; });
    const bool once_each = std::adjacent_find(first, last, [](const Part& a, const Part& b) {
                             return a.what.type == b.what.type;
                           }) == last;
    if (once_each && last - first > 1) {
      perfdata::EventSum& sum = sums.emplace_back(first->what.name, std::vector<std::size_t>());
      for (auto part = first; part != last; ++part) sum.parts.push_back(part->event);
    }
    first = last;
  }
  return sums;
}

}  // namespace tacho

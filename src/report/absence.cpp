#include "report/absence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/safe_text.hpp"

namespace tacho {
namespace {

constexpr std::string_view kLacksEvents = "not all events of the formula were counted";

void add(std::vector<Absence>& groups, std::string name, std::string reason, std::string remedy) {
  const auto group = std::ranges::find_if(
      groups, [&](const Absence& a) { return a.reason == reason && a.remedy == remedy; });
  if (group != groups.end()) {
    group->names.push_back(std::move(name));
  } else {
    groups.push_back({std::move(reason), std::move(remedy), {std::move(name)}});
  }
}

}  // namespace

bool is_absent(const EventSummary& event) {
  return event.status == Status::unsupported || event.status == Status::failed;
}

std::string reason_of(const EventSummary& event) {
  if (!event.reason.empty()) return event.reason;
  return event.status == Status::failed ? "it could not be opened, or never ran"
                                        : "this machine cannot count it";
}

std::string remedy_of(const EventSummary& event) {
  if (!event.remedy.empty()) return event.remedy;
  return "`tacho doctor` shows what this machine can count";
}

std::vector<Absence> absences(const Summary& summary) {
  std::vector<Absence> groups;
  // On unequal cores, a part that is absent for the reason of its sum is not named beside it.
  const auto goes_with_its_sum = [&](const EventSummary& event) {
    return !event.part_of.empty() &&
           std::ranges::any_of(summary.events, [&](const EventSummary& sum) {
             return sum.name == event.part_of && is_absent(sum) && sum.reason == event.reason;
           });
  };
  for (const EventSummary& event : summary.events) {
    if (is_absent(event) && !goes_with_its_sum(event))
      add(groups, event.name, reason_of(event), remedy_of(event));
  }
  const auto names_absent_event = [&](const std::string& reason) {
    return std::ranges::any_of(summary.events, [&](const EventSummary& event) {
      return is_absent(event) && reason.find(event.name) != reason.npos;
    });
  };
  for (const MetricSummary& metric : summary.metrics) {
    if (metric.value && std::isfinite(*metric.value)) continue;
    const bool follows = metric.reason.empty() || names_absent_event(metric.reason);
    add(groups, metric.name, follows ? std::string(kLacksEvents) : metric.reason, "");
  }
  return groups;
}

bool are_many(const std::vector<Absence>& all) {
  constexpr std::size_t kFew = 5;
  std::size_t names = 0;
  for (const Absence& absence : all) names += absence.names.size();
  return names > kFew;
}

std::vector<std::string> brief_absences(const std::vector<Absence>& all) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> lines;
  for (const Absence& absence : all) {
    if (absence.reason == kLacksEvents) continue;
    const std::size_t named = absence.names.size() > kNamed + 1 ? kNamed : absence.names.size();
    std::string line = fmt::format(
        "{}", fmt::join(absence.names.begin(),
                        absence.names.begin() + static_cast<std::ptrdiff_t>(named), ", "));
    if (named < absence.names.size())
      line += fmt::format(" and {} more", absence.names.size() - named);
    lines.push_back(line + ": " + printable(absence.reason, 2000));
  }
  return lines;
}

std::vector<std::string> all_warnings(const Measurement& measurement, const Summary& summary) {
  std::vector<std::string> warnings;
  for (const auto* source : {&measurement.warnings, &summary.warnings}) {
    for (const std::string& warning : *source) {
      if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
    }
  }
  return warnings;
}

}  // namespace tacho

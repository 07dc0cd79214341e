#include "events/describe_events.hpp"

#include <fmt/format.h>

#include "events/abi.hpp"
#include "events/cache_names.hpp"
#include "events/generic_names.hpp"
#include "events/pfm.hpp"
#include "events/spelling.hpp"
#include "events/sysfs_pmu.hpp"
#include "events/tracepoint.hpp"

namespace tacho {
namespace {

void list_generic(std::uint32_t type, std::string_view source, std::string_view pattern,
                  std::vector<EventDescription>& list) {
  for (const GenericName& row : generic_names()) {
    if (row.type != type) continue;
    if (!matches(row.name, pattern) && (row.alias.empty() || !matches(row.alias, pattern)))
      continue;
    std::string description(row.description);
    if (!row.alias.empty()) description += fmt::format(" (also {})", row.alias);
    list.push_back({std::string(row.name), std::string(source), std::move(description)});
  }
}

}  // namespace

std::vector<EventDescription> describe_events(const Catalogue& catalogue,
                                              std::string_view pattern) {
  std::vector<EventDescription> list;
  const auto add = [&](std::string name, std::string source, std::string description) {
    if (matches(name, pattern))
      list.push_back({std::move(name), std::move(source), std::move(description)});
  };
  list_generic(abi::kHardware, "hardware", pattern, list);
  for (CacheName& row : cache_names())
    add(std::move(row.name), "cache", std::move(row.description));
  list_generic(abi::kSoftware, "software", pattern, list);
  for (const SysfsPmus::Alias& alias : SysfsPmus(catalogue.roots().sysfs).aliases())
    add(fmt::format("{}/{}/", alias.pmu, alias.name), "sysfs " + alias.pmu,
        alias.unit.empty() ? alias.terms : fmt::format("{}, in {}", alias.terms, alias.unit));
  const Tracepoints tracepoints(catalogue.roots().tracefs);
  for (const std::string& category : tracepoints.categories())
    for (std::string& name : tracepoints.names(category))
      add(std::move(name), "tracepoint", "tracepoint of " + category);
  for (const PfmName& event : pfm_names())
    add(fmt::format("{}::{}", event.pmu, event.name), "libpfm4 " + event.pmu, event.description);
  return list;
}

}  // namespace tacho

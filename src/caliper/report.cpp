// region_report: the figures of all threads as plain values. Also count_in_regions, which chooses
// the events that they count.
#include "tacho/report.hpp"

#include <errno.h>
#include <unistd.h>

#include "caliper/registry.hpp"
#include "tacho/caliper.hpp"

namespace tacho::inline v0 {

RegionReport region_report() {
  const caliper::Registry::Merged all = caliper::Registry::get().merged();
  RegionReport report;
  report.pid = ::getpid();
  report.program = ::program_invocation_short_name;
  report.clock = tick_clock();
  report.unmatched = all.unmatched;
  report.too_deep = all.too_deep;
  report.no_memory = all.no_memory;
  const caliper::CountingPlan* const counting = all.counting ? &*all.counting : nullptr;
  if (counting != nullptr && counting->requested > 0) report.explanation = counting->explanation;
  for (std::size_t region = 1; region < all.names.size(); ++region)
    if (all.totals[region].begun > 0)
      report.regions.push_back(all.totals[region].figures(all.names[region], counting));
  return report;
}

std::vector<Error> count_in_regions(const std::vector<std::string>& events) {
  caliper::Registry& registry = caliper::Registry::get();
  if (!registry.choose_events(events))
    return {
        Error{"the events of regions are already fixed: a region has begun, or an earlier call "
              "chose them",
              "call count_in_regions() once, before the first region", EBUSY}};
  std::vector<Error> errors;
  const caliper::CountingPlan& counting = registry.counting();
  for (std::size_t i = 0; i < counting.requested; ++i)
    if (counting.refused[i])
      errors.push_back({"'" + counting.events[i].name + "': " + counting.refused[i]->what,
                        counting.refused[i]->remedy, counting.refused[i]->code});
  return errors;
}

}  // namespace tacho::inline v0

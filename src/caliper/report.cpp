// region_report: the figures of all threads as plain values. Also count_in_regions, which chooses
// the events that they count.
#include "tacho/report.hpp"

#include <errno.h>
#include <unistd.h>

#include "caliper/left_open.hpp"
#include "caliper/registry.hpp"
#include "caliper/report_file.hpp"
#include "tacho/caliper.hpp"

namespace tacho {

caliper::ProcessReport caliper::process_report() {
  Registry& registry = Registry::get();
  ProcessReport whole;
  RegionReport& report = whole.figures;
  report.pid = ::getpid();
  report.program = ::program_invocation_short_name;
  report.clock = tick_clock();
  const CountingPlan* const counting = registry.known_counting();
  if (counting != nullptr && counting->requested > 0) report.explanation = counting->explanation;
  const std::uint32_t last = registry.regions();
  for (std::uint32_t region = 1; region <= last; ++region) {
    const Totals totals = registry.totals_of(region);
    if (totals.begun == 0) continue;
    report.regions.push_back(totals.figures(registry.name_of(region), counting));
    if (totals.left_open_by == nullptr) continue;
    whole.left_open_by.resize(report.regions.size());
    whole.left_open_by.back() = name_of_code(totals.left_open_by);
  }
  // Last, so that what was lost while the regions were read is not missing.
  const Registry::Unmeasured unmeasured = registry.unmeasured();
  report.unmatched = unmeasured.unmatched;
  report.too_deep = unmeasured.too_deep;
  report.no_memory = unmeasured.no_memory;
  whole.switched = {.on = on_time(), .perhaps_unmatched = unmeasured.perhaps_unmatched};
  return whole;
}

RegionReport v0::region_report() {
  return caliper::process_report().figures;
}

RegionSite& v0::region_named(std::string_view name) {
  return caliper::Registry::get().site_of(name);
}

std::vector<Error> v0::count_in_regions(const std::vector<std::string>& events) {
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

}  // namespace tacho

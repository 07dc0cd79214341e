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
namespace {

// The paths with executions, and those around them.
std::vector<caliper::RegionPath> named(const caliper::PathTotals& totals,
                                       caliper::Registry& registry) {
  const auto& nodes = totals.nodes();
  std::vector<bool> shown(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    shown[i] = shown[i] || nodes[i].executions > 0;
    if (shown[i]) shown[nodes[i].parent] = true;
  }
  std::vector<caliper::RegionPath> paths;
  std::vector<std::size_t> places(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!shown[i]) continue;
    places[i] = paths.size();
    caliper::RegionPath& path = paths.emplace_back();
    path.name = registry.name_of(nodes[i].region);
    if (nodes[i].parent != i) path.parent = places[nodes[i].parent];
    path.executions = nodes[i].executions;
    path.ticks = nodes[i].ticks;
    path.own_ticks = nodes[i].own;
  }
  return paths;
}

}  // namespace

caliper::ProcessReport caliper::process_report() {
  Registry& registry = Registry::get();
  ProcessReport whole;
  RegionReport& report = whole.figures;
  report.pid = ::getpid();
  report.program = ::program_invocation_short_name;
  report.clock = tick_clock();
  whole.place = place_of_process();
  const CountingPlan* const counting = registry.known_counting();
  if (counting != nullptr && counting->requested > 0) report.explanation = counting->explanation;
  const std::uint32_t last = registry.regions();
  for (std::uint32_t region = 1; region <= last; ++region) {
    const Totals totals = registry.totals_of(region);
    if (totals.begun == 0) continue;
    report.regions.push_back(totals.figures(registry.name_of(region), counting));
    MoreFigures& more = whole.more.emplace_back();
    if (totals.left_open_by != nullptr) more.left_open_by = name_of_code(totals.left_open_by);
    more.own_ticks =
        report.regions.back().quantities[0].total - static_cast<double>(totals.inner_ticks);
    more.values.reserve(report.regions.back().quantities.size());
    more.values.push_back({.distribution = totals.ticks.values});
    const std::size_t events = counting == nullptr ? 0 : counting->requested;
    for (std::size_t i = 0; i < events; ++i)
      more.values.push_back(i < totals.events.size()
                                ? Values{.scale = counting->events[i].scale,
                                         .distribution = totals.events[i].sum.values}
                                : Values{});
    for (const Totals::NoteTotals& note : totals.notes)
      if (note.sum.executions > 0) more.values.push_back({.distribution = note.sum.values});
  }
  const PathTotals paths = registry.paths();
  whole.paths = named(paths, registry);
  whole.without_path = paths.others();
  // Last, so that what was lost while the regions were read is not missing.
  const Registry::Unmeasured unmeasured = registry.unmeasured();
  report.unmatched = unmeasured.unmatched;
  report.too_deep = unmeasured.too_deep;
  report.no_memory = unmeasured.no_memory;
  whole.switched = {.on = on_time(), .perhaps_unmatched = unmeasured.perhaps_unmatched};
  return whole;
}

caliper::ProcessTrace caliper::process_trace() {
  Registry& registry = Registry::get();
  ProcessTrace trace{.threads = registry.take_traces(), .names = {std::string()}};
  const std::uint32_t last = registry.regions();
  for (std::uint32_t region = 1; region <= last; ++region)
    trace.names.push_back(registry.name_of(region));
  return trace;
}

// The events are fixed before the first region begins.
bool caliper::is_note(std::size_t quantity) {
  const CountingPlan* const counting = Registry::get().known_counting();
  return quantity >= 1 + (counting == nullptr ? 0 : counting->requested);
}

caliper::ProcessReport caliper::only(const RegionReport& figures) {
  ProcessReport report;
  report.figures = figures;
  report.more.resize(figures.regions.size());
  return report;
}

RegionReport v0::region_report() {
  return caliper::process_report().figures;
}

RegionSite& v0::region_named(std::string_view name) {
  return caliper::Registry::get().site_of(name);
}

std::vector<Error> v0::count_in_regions(const std::vector<std::string>& events) {
  return count_in_regions(events, CountScope::this_thread);
}

std::vector<Error> v0::count_in_regions(const std::vector<std::string>& events, CountScope scope) {
  caliper::Registry& registry = caliper::Registry::get();
  if (!registry.choose_events(events, scope))
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

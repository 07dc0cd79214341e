#include "stat/stat_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/absence.hpp"
#include "stat/interval.hpp"
#include "stat/series.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostPeriods = 20'000;

void add_to(std::string& list, std::string_view value) {
  if (!list.empty()) list += ',';
  list += value;
}

// How the figures came about, in a sentence.
std::string how_it_was_counted(const StatReport& report) {
  const Measurement& m = report.measurement;
  const std::string runs =
      report.repeats > 1 ? fmt::format(" The figures are means of {} runs.", report.repeats) : "";
  if (std::ranges::all_of(report.summary.events, is_absent)) return "No event was counted.";
  if (m.machine.simulated()) return kSimulatedPage + runs;
  if (m.sets > 0)
    return "Counted and estimated: sets of events took turns on the counters. Each estimate has "
           "its "
           "95 % interval." +
           runs;
  return "Counted: each event had a counter all the time." + runs;
}

Page page_of(const StatReport& report) {
  const Measurement& m = report.measurement;
  const bool simulated = m.machine.simulated();
  PageFacts facts = simulated ? PageFacts() : facts_of_this_machine();
  facts.emplace_back(simulated ? "model" : "PMU", m.machine.pmu_name);
  facts.emplace_back("started", m.workload.started);
  return {.kind = "stat",
          .title = fmt::format("What {} did", m.workload.label),
          .how = how_it_was_counted(report),
          .facts = std::move(facts),
          .warnings = {},
          .document = to_json(report, -1),
          .more = {}};
}

}  // namespace

Result<StatPage> StatPage::open(const std::string& path, std::string version) {
  return StatPage(TACHO_TRY(PageOutput::open(path)), std::move(version));
}

void StatPage::begin(const Measurement& m) {
  header_ = series_header(m, version_, SeriesFormat::json);
}

void StatPage::period(const Measurement& m, const Period& period, std::size_t index,
                      std::span<const std::uint64_t> always, std::uint64_t reference) {
  if (++period_count_ > kMostPeriods) return;
  add_to(periods_, series_period(m, period, index, always, reference, SeriesFormat::json));
  of_periods_.add(m, period, always);
}

void StatPage::interval(const StatReport& report, double at_s) {
  add_to(intervals_, interval_json(at_s, report));
  const double start_s = std::exchange(interval_start_s_, at_s);
  for (const EventSummary& event : report.summary.events)
    if (event.estimate && at_s > start_s)
      of_intervals_.add(event.name, start_s, at_s, *event.estimate / (at_s - start_s));
}

bool StatPage::finish(const StatReport& report, const Notices& notices) {
  Page page = page_of(report);
  const bool whole = period_count_ <= kMostPeriods && report.repeats == 1 && period_count_ > 0;
  page.more = fmt::format(
      ",\"intervals\":[{}],\"series\":{},\"phases\":{},\"advice\":{}", intervals_,
      whole ? fmt::format("{{\"head\":{},\"periods\":[{}]}}", header_, periods_) : "null",
      written((whole && period_count_ > 1 ? of_periods_ : of_intervals_).phases()),
      written(Json(report.advice)));
  page.warnings = all_warnings(report.measurement, report.summary);
  const auto written = output_.write(page, notices);
  if (!written) notices.error(written.error());
  return written.has_value();
}

}  // namespace tacho

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "profile/recorded_profile.hpp"
#include "wall/report/summarize_wall.hpp"
#include "wall/report/wall_report.hpp"
#include "wall/wall_reader.hpp"

namespace tacho {
namespace {

constexpr std::size_t kTextRows = 12;

// Says so if the place of most of the waiting was not recorded.
std::string places_warning(const WallSummary& summary) {
  double unknown = 0;
  for (const WaitByReason& each : summary.reasons)
    if (!each.ready && each.reason.name == "unknown") unknown += each.sum.total_ns;
  const auto waiting = static_cast<double>(summary.all.waiting_ns);
  constexpr double kMuch = 0.5;
  if (unknown <= kMuch * waiting) return {};
  return fmt::format(
      "the place of {:.0f} % of the waiting was not recorded: it began before the recording, or "
      "the "
      "recorder took no sample at each switch. 'tacho record --wall' does, where "
      "kernel.perf_event_paranoid is 1 or less",
      100 * unknown / waiting);
}

Result<std::string> wall_report(const ReportRequest& request, const TextStyle& style,
                                std::string_view version, std::vector<std::string>& warnings) {
  if (!request.reading.choice.is_everything())
    return failure("--wall and --off-cpu show whole threads: no part of them can be chosen",
                   "choose samples for --folded, --tree, --html and the other formats");
  if (!request.reading.event.empty())
    return failure("-e chooses an event, and the report of --wall and --off-cpu has none",
                   "leave it out");
  RecordingInput input = request.reading;
  input.view = WallView::apart;
  input.file = request.files.front();
  input.more.assign(request.files.begin() + 1, request.files.end());
  const WaitReasons reasons = TACHO_TRY(WaitReasons::load());
  std::vector<bool> alone;
  const RecordedProfile recorded =
      TACHO_TRY(read_profile(input, SampleDetails::times,
                             [&](const perfdata::Reader& reader, const perfdata::Record& record) {
                               const auto* sample = std::get_if<perfdata::Sample>(&record.what);
                               if (sample == nullptr) return;
                               if (is_clock(reader.description().events[sample->event]))
                                 alone.push_back(wall_reader(reader).states().running_now() == 1);
                             }));
  Resolver resolver(recorded.profile.modules(), recorded.description(), symbol_sources(input));
  WallSummary summary = summarize_wall(recorded, alone, resolver, reasons);
  summary.warnings = recorded.all_warnings(resolver);
  if (const std::string missing = places_warning(summary); !missing.empty())
    summary.warnings.insert(summary.warnings.begin(), missing);
  warnings = summary.warnings;
  if (request.format == Format::json) return wall_json(summary, version);
  if (request.format == Format::csv) return wall_csv(summary);
  return wall_text(summary, request.limit.value_or(kTextRows), style);
}

}  // namespace

ComposedReport compose_wall_report(const ReportRequest& request, const TextStyle& style,
                                   std::string_view version) {
  ComposedReport report;
  report.text = wall_report(request, style, version, report.warnings);
  return report;
}

}  // namespace tacho

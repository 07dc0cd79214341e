#include <fmt/format.h>

#include <utility>
#include <vector>

#include "profile/recorded_profile.hpp"
#include "wall/report/wall_report.hpp"
#include "wall/wall_reader.hpp"

namespace tacho {
namespace {

constexpr std::size_t kTextRows = 12;

Result<std::string> wall_report(const ReportRequest& request, const TextStyle& style,
                                std::string_view version, std::vector<std::string>& warnings) {
  if (!request.reading.choice.is_everything())
    return failure("--wall and --off-cpu show whole threads: no part of them can be chosen",
                   "choose samples for --folded, --tree, --html and the other formats");
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
                                 alone.push_back(states_of(reader).running_now() == 1);
                             }));
  Resolver resolver(recorded.profile.modules(), recorded.description(), symbol_sources(input));
  const WallSummary summary =
      summarize_wall(recorded, states_of(*recorded.reader), alone, resolver, reasons);
  for (const auto& more : {summary.warnings, recorded.all_warnings(resolver)})
    warnings.insert(warnings.end(), more.begin(), more.end());
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

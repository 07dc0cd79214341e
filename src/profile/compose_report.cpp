#include "profile/compose_report.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "events/find_data.hpp"
#include "profile/call_tree.hpp"
#include "profile/comparison_report.hpp"
#include "profile/profile_page.hpp"
#include "profile/recorded_profile.hpp"
#include "profile/total_order.hpp"
#include "report/gzip.hpp"

namespace tacho {
namespace {

constexpr std::size_t kTextRows = 30;  // JSON and CSV have all rows
constexpr std::size_t kPageRows = 1000;
constexpr double kLeastTextPercent = 0.5;  // of the samples, in the tree

// The request, and what all texts of it need.
struct Asked {
  const ReportRequest& request;
  const TextStyle& style;
  std::string_view version;
};

Result<std::string> tree_report(const Asked& asked, const RecordedProfile& recorded,
                                Resolver& resolver) {
  const ReportRequest& request = asked.request;
  const double least =
      request.least_percent.value_or(request.format == Format::text ? kLeastTextPercent : 0);
  const auto events = sampled_events(recorded.profile, recorded.description());
  CallTree found = TACHO_TRY(call_tree(recorded.profile, resolver, recorded.event,
                                       events[recorded.event].name, {least / 100, request.rows()}));
  found.has_lengths = events[recorded.event].lengths;
  if (request.format == Format::json) return call_tree_json(found, asked.version);
  if (request.format == Format::csv)
    return failure("--tree has no CSV, because its rows are not a table", "give --json");
  return call_tree_text(found, asked.style);
}

Result<std::string> call_report(const Asked& asked, const RecordedProfile& recorded,
                                Resolver& resolver) {
  const ReportRequest& request = asked.request;
  const bool callers = !request.callers.empty();
  CallView view = TACHO_TRY(call_view(recorded.profile, resolver, recorded.event,
                                      callers ? request.callers : request.callees,
                                      callers ? CallSide::callers : CallSide::callees));
  view.chosen = recorded.chosen;
  view.has_lengths =
      sampled_events(recorded.profile, recorded.description())[recorded.event].lengths;
  if (request.rows() > 0 && view.rows.size() > request.rows()) view.rows.resize(request.rows());
  if (request.format == Format::json) return call_view_json(view, asked.version);
  if (request.format == Format::csv) return call_view_csv(view);
  return call_view_text(view, asked.style);
}

Result<std::string> row_report(const Asked& asked, const RecordedProfile& recorded,
                               Resolver& resolver, std::vector<std::string>& warnings) {
  const ReportRequest& request = asked.request;
  const auto metrics = TACHO_TRY(known_metrics());
  ProfileSummary summary = summarize(recorded, resolver, request.sort, metrics);
  warnings.insert(warnings.end(), summary.limits.begin(), summary.limits.end());
  if (request.by_total) TACHO_TRY(sort_by_total(summary));
  if (request.format == Format::json) return profile_json(summary, request.rows(), asked.version);
  if (request.format == Format::csv) return profile_csv(summary, request.rows());
  return profile_text(summary, request.rows(), asked.style);
}

Result<Page> page_report(const Asked& asked, const RecordedProfile& recorded, Resolver& resolver,
                         const std::string& code, std::vector<std::string>& warnings) {
  const auto metrics = TACHO_TRY(known_metrics());
  ProfileSummary summary = summarize(recorded, resolver, SortBy::function, metrics);
  warnings.insert(warnings.end(), summary.limits.begin(), summary.limits.end());
  // Each wait is in the kernel's function that switches threads: only totals tell functions apart.
  if (summary.has_chains && summary.events[summary.event].lengths)
    TACHO_TRY(sort_by_total(summary));
  return profile_page(recorded, resolver, summary, code, kPageRows, asked.version);
}

// Returns the data, or sets what writes them.
std::string viewer_report(Viewer viewer, const ProfileExport& in, TextWriter& writer) {
  switch (viewer) {
    case Viewer::folded:
      writer = profile_folded(in);
      return {};
    case Viewer::pprof:
      return gzipped(profile_pprof(in));
    case Viewer::firefox:
      writer = profile_firefox(in);
      return {};
    case Viewer::speedscope:
    case Viewer::browser:  // see page_report()
      break;
  }
  return profile_speedscope(in);
}

// The recordings of one side, and what names them.
struct SideFiles {
  Side side;
  std::string_view option;
  const std::vector<std::string>& files;
};

// The rows of each recording. If `event` is empty, it becomes that of the first. Each warning is
// added once. A page needs the tree, too.
Result<std::vector<ProfileSummary>> summaries(const ReportRequest& request, const SideFiles& of,
                                              std::string& event, ChangeTree& tree,
                                              std::vector<std::string>& warnings) {
  const auto metrics = TACHO_TRY(known_metrics());
  std::vector<ProfileSummary> recordings;
  std::set<std::string> added;
  for (const std::string& file : of.files) {
    RecordingInput input = request.reading;
    input.file = file;
    input.event = event;
    auto recorded = read_profile(input);
    if (!recorded)
      return failure(fmt::format("{} {}: {}", of.option, file, recorded.error().what),
                     recorded.error().remedy);
    Resolver resolver(recorded->profile.modules(), recorded->description(), symbol_sources(input));
    if (request.shows_inlined()) show_inlined(*recorded, resolver);
    recordings.push_back(summarize(*recorded, resolver, request.sort, metrics));
    const ProfileSummary& summary = recordings.back();
    event = summary.events[summary.event].name;
    if (request.viewer == Viewer::browser)
      tree.add(of.side, recorded->profile, resolver, summary.events[summary.event]);
    for (const auto& more : {summary.limits, recorded->all_warnings(resolver)})
      for (const std::string& warning : more)
        if (added.insert(warning).second) warnings.push_back(warning);
  }
  return recordings;
}

Result<void> compared_report(const Asked& asked, ComposedReport& report) {
  std::vector<std::string>& warnings = report.warnings;
  const ReportRequest& request = asked.request;
  std::string event = request.reading.event;
  ChangeTree tree;
  const auto before =
      TACHO_TRY(summaries(request, {Side::before, "-i", request.files}, event, tree, warnings));
  const auto after = TACHO_TRY(
      summaries(request, {Side::after, "--compare", request.compare}, event, tree, warnings));
  const ProfileComparisonReport compared{
      {request.files, before}, {request.compare, after}, compare_profiles(before, after)};
  if (request.viewer == Viewer::browser)
    report.page = profile_changes_page(compared, tree, kPageRows, asked.version);
  else if (request.format == Format::json)
    report.text = profile_comparison_json(compared, request.rows(), asked.version);
  else if (request.format == Format::csv)
    report.text = profile_comparison_csv(compared, request.rows());
  else
    report.text = profile_comparison_text(compared, request.rows(), asked.style);
  return {};
}

// The profile of the files, with all that the report needs of it.
Result<RecordedProfile> read_requested(const ReportRequest& request, const RecordingInput& input) {
  SampleDetails details = SampleDetails::none;
  const bool has_threads = input.view != WallView::none && request.viewer == Viewer::speedscope;
  if (request.viewer == Viewer::firefox || request.viewer == Viewer::browser || has_threads)
    details = SampleDetails::times;
  if (!request.viewer && is_by_owner(request.sort)) details = SampleDetails::owners;
  return read_profile(input, details);
}

Result<void> single_report(const Asked& asked, ComposedReport& report) {
  std::vector<std::string>& warnings = report.warnings;
  const ReportRequest& request = asked.request;
  RecordingInput input = request.reading;
  input.file = request.files.front();
  input.more.assign(request.files.begin() + 1, request.files.end());
  RecordedProfile recorded = TACHO_TRY(read_requested(request, input));
  Resolver resolver(recorded.profile.modules(), recorded.description(), symbol_sources(input));
  std::string code = "\"code\":[]";
  if (request.viewer == Viewer::browser && request.source) {
    Resolver of_symbols(recorded.profile.modules(), recorded.description(), symbol_sources(input));
    code = hottest_code(recorded, of_symbols, asked.version);
  }
  // pprof's format has a place of its own for them.
  if (request.shows_inlined() && request.viewer != Viewer::pprof) show_inlined(recorded, resolver);
  if (request.inlined == true && !request.viewer && !recorded.profile.has_inlined())
    warnings.emplace_back(
        "--inline found no function that was inlined: programs have them with debug information "
        "(-g)");
  if (request.viewer == Viewer::browser) {
    report.page = TACHO_TRY(page_report(asked, recorded, resolver, code, warnings));
  } else if (request.viewer) {
    const ProfileExport in{recorded.profile,
                           recorded.description(),
                           resolver,
                           recorded.event,
                           asked.version,
                           recorded.chosen ? recorded.chosen->words : std::string(),
                           request.shows_inlined()};
    report.text = viewer_report(*request.viewer, in, report.writer);
    if (request.viewer == Viewer::pprof)
      if (const std::string limit = pprof_events(in).warning(); !limit.empty())
        warnings.push_back(limit);
  } else if (request.tree) {
    report.text = TACHO_TRY(tree_report(asked, recorded, resolver));
  } else if (request.shows_calls()) {
    report.text = TACHO_TRY(call_report(asked, recorded, resolver));
  } else {
    report.text = TACHO_TRY(row_report(asked, recorded, resolver, warnings));
  }
  const auto more = recorded.all_warnings(resolver);
  warnings.insert(warnings.end(), more.begin(), more.end());
  return {};
}

}  // namespace

std::size_t ReportRequest::rows() const {
  return limit.value_or(format == Format::text ? kTextRows : 0);
}

ComposedReport compose_report(const ReportRequest& request, const TextStyle& style,
                              std::string_view version) {
  const Asked asked{request, style, version};
  ComposedReport report;
  Result<void> composed;
  if (request.compare.empty())
    composed = single_report(asked, report);
  else
    composed = compared_report(asked, report);
  if (!composed) report.text = std::unexpected(composed.error());
  return report;
}

}  // namespace tacho

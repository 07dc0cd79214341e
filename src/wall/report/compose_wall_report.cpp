#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "base/safe_text.hpp"
#include "perfdata/nameless_file.hpp"
#include "profile/recorded_profile.hpp"
#include "wall/report/summarize_wall.hpp"
#include "wall/report/wall_choice.hpp"
#include "wall/report/wall_report.hpp"
#include "wall/wall_reader.hpp"

namespace tacho {
namespace {

constexpr std::size_t kTextRows = 12;

// Says so if the place of most of the waiting was not recorded, or what it was for.
std::string places_warning(const WallSummary& summary) {
  double unplaced_ns = 0, unknown_ns = 0;  // the second has places in user mode alone
  for (const WaitPlace& each : summary.places) {
    const WaitByReason& of = summary.reasons[each.reason];
    if (of.ready || of.reason.name != kUnknownReason) continue;
    (each.functions.empty() ? unplaced_ns : unknown_ns) += each.sum.total_ns;
  }
  const auto waiting_ns = static_cast<double>(summary.all.waiting_ns);
  constexpr double kMuch = 0.5, kLittle = 0.01;
  if (waiting_ns <= kLittle * static_cast<double>(summary.all.life_ns())) return {};
  if (unknown_ns > kMuch * waiting_ns)
    return fmt::format(
        "what {:.0f} % of the waiting was for is unknown: the kernel's functions were not "
        "recorded. They are where kernel.perf_event_paranoid is 1 or less",
        100 * unknown_ns / waiting_ns);
  if (unplaced_ns <= kMuch * waiting_ns) return {};
  constexpr std::string_view kSomeSampled =
      "threads switched so often that only some switches were sampled, and none of these was";
  constexpr std::string_view kBefore = "it began before the recording";
  constexpr std::string_view kNoneSampled =
      "the recorder took no sample at each switch. 'tacho record --wall' does, where "
      "kernel.perf_event_paranoid is 1 or less";
  const std::string_view why = summary.lost_ns > 0          ? kSomeSampled
                               : summary.has_switch_samples ? kBefore
                                                            : kNoneSampled;
  return fmt::format("the place of {:.0f} % of the waiting was not recorded: {}",
                     100 * unplaced_ns / waiting_ns, why);
}

// Says so if the recorder's work makes the times off the CPU much too long, or those for a reason.
std::string recorder_warning(const WallSummary& summary) {
  const auto off_ns = static_cast<double>(summary.all.waiting_ns + summary.all.ready_ns);
  const auto work_ns = static_cast<double>(summary.recorder_ns.value_or(0));
  constexpr double kMuch = 0.02, kMuchOfReason = 0.05;
  if (summary.switches == 0 || work_ns == 0) return {};
  const double at_each_ns = work_ns / static_cast<double>(summary.switches);
  std::vector<std::string> brief;
  for (const WaitByReason& each : summary.reasons) {
    const double part = at_each_ns * each.sum.times / each.sum.total_ns;
    if (each.sum.total_ns > kMuch * off_ns && part > kMuchOfReason)
      brief.push_back(fmt::format("{:.0f} % of {}", 100 * std::min(part, 1.0), each.reason.name));
  }
  if (work_ns <= kMuch * off_ns && brief.empty()) return {};
  return fmt::format(
      "recording took up to {:.1f} µs on average at each of {} switches, which counts as time off "
      "the CPU. So this is up to {:.1f} % too long{}{}",
      at_each_ns / 1e3, summary.switches, 100 * work_ns / off_ns,
      brief.empty() ? "" : ", and short times more: ", fmt::join(brief, ", "));
}

// What readers of samples do not warn of.
std::vector<std::string> own_warnings(const WallSummary& summary) {
  std::vector<std::string> warnings{places_warning(summary), recorder_warning(summary)};
  std::erase(warnings, "");
  return warnings;
}

// The error that no thread was chosen, if there are any.
Result<void> nothing_chosen(const RecordedProfile& recorded) {
  const ThreadStates& states = wall_reader(*recorded.reader).states();
  if (states.threads().empty()) return {};
  const WallChoice choice(recorded.choice);
  std::vector<std::string> names;
  bool is_there = false;
  for (const ThreadTimes& thread : states.threads()) {
    is_there = is_there || choice.has(thread);
    constexpr std::size_t kNamed = 5;
    if (names.size() < kNamed)
      names.push_back(
          fmt::format("{} ({})", thread.tid, printable(recorded.profile.name_of(thread.tid))));
  }
  const std::string what =
      fmt::format("no thread was chosen by {}", printable(in_words(recorded.choice)));
  if (!is_there)
    return failure(what, fmt::format("there are {}{}", fmt::join(names, ", "),
                                     names.size() < states.threads().size() ? ", …" : ""));
  const auto seconds_of = [](perfdata::OptionalU64 ns) {
    return fmt::format("{:.6f}", static_cast<double>(ns.value_or(0)) / 1e9);
  };
  return failure(what, fmt::format("it is from {} to {} s of the recording's clock",
                                   seconds_of(states.begin_ns()), seconds_of(states.end_ns())));
}

// Reads the recording with WallView::apart. `files`: pieces of one recording.
Result<WallSummary> read_summary(RecordingInput input, std::span<const std::string> files) {
  input.view = WallView::apart;
  input.event.clear();
  input.file = files.front();
  input.more.assign(files.begin() + 1, files.end());
  const WaitReasons reasons = TACHO_TRY(WaitReasons::load());
  const RecordedProfile recorded = TACHO_TRY(read_profile(input, SampleDetails::times));
  Resolver resolver(recorded.profile.modules(), recorded.description(), symbol_sources(input));
  WallSummary summary = summarize_wall(recorded, resolver, reasons);
  if (summary.threads.empty()) TACHO_TRY(nothing_chosen(recorded));
  summary.warnings = own_warnings(summary);
  std::ranges::copy(recorded.all_warnings(resolver), std::back_inserter(summary.warnings));
  return summary;
}

Result<std::string> wall_report(const ReportRequest& request, const TextStyle& style,
                                std::string_view version, std::vector<std::string>& warnings) {
  if (const SampleChoice& choice = request.reading.choice;
      !choice.modules.empty() || !choice.cpus.empty())
    return failure(
        fmt::format("{} chooses samples, and the waits of --wall and --off-cpu have none "
                    "of it",
                    choice.cpus.empty() ? "--module" : "--cpu"),
        "choose threads or times: --tid, --pid, --comm, --time");
  if (!request.reading.event.empty())
    return failure("-e chooses an event, and the report of --wall and --off-cpu has none",
                   "leave it out; or show its samples: --sort function, --tree, --html FILE");
  if (request.by_total)
    return failure(
        "--children orders rows by what they called, and the functions of --wall and --off-cpu "
        "always have that",
        "leave it out; or show samples: --sort function --children");
  const WallSummary summary = TACHO_TRY(read_summary(request.reading, request.files));
  warnings = summary.warnings;
  if (request.format == Format::json) return wall_json(summary, version);
  if (request.format == Format::csv) return wall_csv(summary);
  return wall_text(summary, request.limit.value_or(kTextRows), style);
}

// The page of the samples, and the waits that it shows beside them. Those have no part of a choice
// of modules or CPUs.
Result<void> add_waits(const ReportRequest& request, ComposedReport& report) {
  constexpr std::size_t kPageRows = 200;  // of each table
  const SampleChoice& choice = request.reading.choice;
  if (!choice.modules.empty() || !choice.cpus.empty()) return {};
  const WallSummary summary = TACHO_TRY(read_summary(request.reading, request.files));
  report.page->more += wall_member(summary, kPageRows);
  const std::vector<std::string> own = own_warnings(summary);
  for (std::vector<std::string>* warnings : {&report.page->warnings, &report.warnings})
    warnings->insert(warnings->begin(), own.begin(), own.end());
  return {};
}

ComposedReport page_of_waits(ReportRequest request, const TextStyle& style,
                             std::string_view version) {
  Fd copy;  // of a stream, which can be read once
  if (request.files == std::vector<std::string>{"-"}) {
    auto copied = perfdata::copy_of_standard_input();
    if (!copied) return {.text = std::unexpected(copied.error()), .writer = {}, .warnings = {}};
    copy = std::move(*copied);
    request.files = {fmt::format("/proc/self/fd/{}", copy.get())};
  }
  ComposedReport report = compose_report(request, style, version);
  if (!report.page) return report;
  if (const auto added = add_waits(request, report); !added) {
    report.page.reset();
    report.text = std::unexpected(added.error());
  }
  return report;
}

}  // namespace

ComposedReport compose_wall_report(const ReportRequest& request, const TextStyle& style,
                                   std::string_view version) {
  if (request.viewer == Viewer::browser) return page_of_waits(request, style, version);
  ComposedReport report;
  report.text = wall_report(request, style, version, report.warnings);
  return report;
}

}  // namespace tacho

#include "compare/compare_output.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/safe_text.hpp"
#include "base/shell_line.hpp"
#include "compare/change_text.hpp"
#include "compare/report.hpp"

namespace tacho {
namespace {

std::string report_text(const CompareReport& report, const CompareRequest& request) {
  const NumberStyle style = NumberStyle::of_environment();
  if (request.markdown) return to_markdown(report, style);
  switch (request.format) {
    case Format::json:
      return to_json(report);
    case Format::csv:
      return to_csv(report);
    case Format::text:
      break;
  }
  return to_text(report, style);
}

Page page_of(const CompareReport& report) {
  std::string title;
  PageFacts facts;
  for (const ComparedCommand& command : report.runs.commands) {
    title += (title.empty() ? "" : " or ") +
             (command.name.empty() ? shell_line(command.words) : command.name);
    facts.emplace_back(command.shown(), shell_line(command.words));
  }
  for (auto& fact : facts_of_this_machine()) facts.push_back(std::move(fact));
  return {.kind = "compare",
          .title = "Which takes less: " + title,
          .how = "Measured in pairs, in random order; each change has its interval.",
          .facts = std::move(facts),
          .warnings = report.warnings,
          .document = to_json(report),
          .more = {}};
}

}  // namespace

Result<CompareOutput> CompareOutput::open(const CompareRequest& request, std::string version,
                                          const Notices& notices) {
  Output result = TACHO_TRY(Output::to_file(request.output.empty() ? "-" : request.output));
  CompareOutput output(request, std::move(version), std::move(result), notices);
  std::vector<NamedOutput> files = {{"the report", &output.result_}};
  if (!request.save.empty()) {
    output.saved_ = TACHO_TRY(Output::to_file(request.save));
    files.push_back({"the saved runs", &*output.saved_});
  }
  if (!request.page.empty()) {
    output.page_ = TACHO_TRY(PageOutput::open(request.page));
    files.push_back({"the page", &output.page_->file()});
  }
  TACHO_TRY(check_different(files));
  return output;
}

Result<int> CompareOutput::finish(PairedRuns runs) {
  const CompareReport report = report_of(request_, std::move(runs), version_);
  TACHO_TRY(result_.write(report_text(report, request_)));
  if (saved_) TACHO_TRY(saved_->write(to_json(report)));
  if (page_) TACHO_TRY(page_->write(page_of(report), notices_));
  return gate_status(report.gates);
}

std::string progress_text(const PairProgress& progress, const NumberStyle& style) {
  const PairedRuns& runs = progress.runs;
  std::string text = fmt::format("pair {} of {}", runs.blocks, progress.next_look);
  if (progress.last_look > progress.next_look) text += fmt::format(" to {}", progress.last_look);
  for (const PairedChange& change : judge(runs))
    if (change.metric == runs.primary &&
        runs.members[change.member].role == BlockMember::Role::compared)
      text += fmt::format("; {}: {} {}", shown_name(runs, change.member),
                          change_of(change, runs.metrics[change.metric], style),
                          range_of(change, runs.metrics[change.metric], style));
  const double each = progress.seconds / static_cast<double>(runs.blocks);
  const auto left = static_cast<double>(progress.next_look - runs.blocks);
  if (left > 0) text += fmt::format("; {:.0f} s to the next look", each * left);
  constexpr std::size_t kLine = 79;  // columns, so that the line is not wrapped
  return printable(text, kLine);
}

}  // namespace tacho

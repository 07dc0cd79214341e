#include "compare/compare_output.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/safe_text.hpp"
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

}  // namespace

Result<CompareOutput> CompareOutput::open(const CompareRequest& request, std::string version) {
  Output result = TACHO_TRY(Output::to_file(request.output.empty() ? "-" : request.output));
  CompareOutput output(request, std::move(version), std::move(result));
  if (request.save.empty()) return output;
  output.saved_ = TACHO_TRY(Output::to_file(request.save));
  const std::array<NamedOutput, 2> files = {NamedOutput{"the report", &output.result_},
                                            NamedOutput{"the saved runs", &*output.saved_}};
  TACHO_TRY(check_different(files));
  return output;
}

Result<int> CompareOutput::finish(PairedRuns runs) {
  const CompareReport report = report_of(request_, std::move(runs), version_);
  TACHO_TRY(result_.write(report_text(report, request_)));
  if (saved_) TACHO_TRY(saved_->write(to_json(report)));
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
  return printable(text, kCompareColumns - 1);
}

}  // namespace tacho

#include "blocks/blocks_page.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/number.hpp"
#include "locate/recorded_target.hpp"

namespace tacho {
namespace {

// What both pages have in common.
Page page_of(const BranchRecording& recording, std::string kind, std::string document) {
  const perfdata::Description& description = recording.reader->description();
  return {.kind = std::move(kind),
          .title = "Cycles of straight-line code: " + recorded_target(description.command).title(),
          .how = "Sampled: each branch stack has the cycles between its last taken branches.",
          .facts = {{"host", description.host},
                    {"CPU", description.cpu},
                    {"kernel", description.kernel}},
          .warnings = recording.blocks.warnings,
          .document = std::move(document),
          .more = {}};
}

}  // namespace

Page blocks_page(const BranchRecording& recording, const BlocksReport& report, std::size_t limit,
                 std::string_view version) {
  std::string document;
  blocks_json(report, limit, version, [&](std::string_view piece) { document += piece; });
  Page page = page_of(recording, "blocks", std::move(document));
  if (limit > 0 && report.chosen.runs.size() > limit)
    page.warnings.push_back(fmt::format("this page has the {} hottest of {}; -n gives more", limit,
                                        plural(report.chosen.runs.size(), "code run", {})));
  return page;
}

Page blocks_comparison_page(const BranchRecording& first, const ComparisonReport& report,
                            std::string_view version) {
  return page_of(first, "blocks-compare", comparison_json(report, version));
}

}  // namespace tacho

#include "profile/check_report_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tacho {
namespace {

const std::map<std::string, SortBy> kSorts{{"module", SortBy::module},
                                           {"function", SortBy::function},
                                           {"line", SortBy::line},
                                           {"instruction", SortBy::instruction},
                                           {"comm", SortBy::command},
                                           {"pid", SortBy::process},
                                           {"tid", SortBy::thread},
                                           {"thread", SortBy::thread},
                                           {"cpu", SortBy::cpu},
                                           // perf's words
                                           {"dso", SortBy::module},
                                           {"sym", SortBy::function},
                                           {"symbol", SortBy::function},
                                           {"srcline", SortBy::line}};

// An error if rows of this kind can't be compared.
Result<void> check_compared_rows(const std::string& sort) {
  if (is_by_owner(sort_by(sort)))
    return failure(fmt::format("--compare has no rows by {}", sort),
                   "sort by module, function or line; --comm and --cpu choose samples");
  if (sort == "instruction")
    return failure("--compare has no rows by instruction: addresses of two builds are not the same",
                   "sort by line, or see 'tacho annotate' of each");
  return {};
}

// An error if a viewer's format is asked for with what it does not have.
Result<void> check_viewer(const ReportRequest& request) {
  if (!request.viewer) return {};
  const auto* const found =
      std::ranges::find(kViewerOptions, *request.viewer, &ViewerOption::viewer);
  const char* name = found != kViewerOptions.end() ? found->name : "--html";
  if (request.shows_calls())
    return failure(
        fmt::format("--callers, --callees and --tree exclude {}, which has all calls", name),
        "give --json or --csv, or leave them out");
  if (!request.compare.empty() && request.viewer != Viewer::browser)
    return failure(fmt::format("--compare excludes {}, which has one recording", name),
                   "give --json or --csv, or leave it out");
  return {};
}

}  // namespace

std::vector<std::string> sort_words() {
  std::vector<std::string> words{"module", "function", "line", "instruction",
                                 "comm",   "pid",      "tid",  "cpu"};
  for (const auto& [word, sort] : kSorts)
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  return words;
}

SortBy sort_by(const std::string& word) {
  return kSorts.at(word);
}

Result<void> check(const ReportRequest& request, const std::optional<std::string>& sort) {
  if (!request.source && request.viewer != Viewer::browser)
    return failure("--no-source is about the page of --html", "give --html FILE, too");
  TACHO_TRY(check_viewer(request));
  if (request.reading.view != WallView::none && !request.compare.empty())
    return failure("--compare excludes --wall and --off-cpu",
                   "make a report of each, with --json if programs compare them");
  if (sort && (request.viewer || request.shows_calls()))
    return failure("--sort is about rows, and none are shown here",
                   "leave out --sort, or what is shown instead of rows");
  if (request.viewer && request.limit)
    return failure("--limit is about rows, and a viewer's format has all calls", "leave it out");
  if (sort && !request.compare.empty()) return check_compared_rows(*sort);
  return {};
}

}  // namespace tacho

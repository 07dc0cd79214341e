#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "events/find_data.hpp"
#include "merge/report.hpp"
#include "merge/request.hpp"
#include "report/output.hpp"

namespace tacho {
namespace {

Result<void> check_distinct(const MergeRequest& request) {
  std::error_code none;
  std::set<std::filesystem::path> paths;
  for (const std::string& file : request.files)
    if (!paths.insert(std::filesystem::weakly_canonical(file, none)).second)
      return failure(fmt::format("'{}' was given twice: its counts would be there twice", file),
                     "give each file once");
  if (!request.output.empty() &&
      paths.contains(std::filesystem::weakly_canonical(request.output, none)))
    return failure(fmt::format("the result would go into one of the files: '{}'", request.output),
                   "give -o another name; a pattern such as out.*.json must not match it");
  return {};
}

std::string in_format(const Merged& merged, Format format) {
  switch (format) {
    case Format::json:
      return to_json(merged);
    case Format::csv:
      return to_csv(merged);
    case Format::text:
      break;
  }
  return to_text(merged, NumberStyle::of_environment());
}

}  // namespace

Result<void> merge_files(const MergeRequest& request, std::string_view version,
                         const Notices& notices) {
  TACHO_TRY(check_distinct(request));
  std::vector<StatFile> files;
  std::vector<LeftOut> left_out;
  Error first;
  for (const std::string& path : request.files) {
    auto file = read_stat_file(path);
    if (file) {
      files.push_back(std::move(*file));
      continue;
    }
    if (left_out.empty()) first = file.error();
    left_out.push_back({path, file.error().what});
    if (request.files.size() > 1)
      notices.warning(fmt::format("{}: it is left out", file.error().what));
  }
  if (files.empty() && left_out.size() == 1) return std::unexpected(first);
  if (files.empty())
    return failure(fmt::format("none of the {} files can be used", left_out.size()), first.remedy);
  // Without the metrics' formulas, their values can still be shown file by file.
  const auto known = known_metrics();
  Merged all = TACHO_TRY(merge_reports(std::move(files), known.value_or(std::vector<Metric>())));
  all.left_out = std::move(left_out);
  all.version = version;
  Output output = TACHO_TRY(Output::to_file(request.output.empty() ? "-" : request.output));
  return output.write(in_format(all, request.format));
}

}  // namespace tacho

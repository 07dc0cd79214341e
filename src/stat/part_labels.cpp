#include "stat/part_labels.hpp"

#include <algorithm>
#include <string_view>

#include "base/number.hpp"
#include "base/safe_text.hpp"

namespace tacho {
namespace {

// The length of the folders, with the last slash, that all names are in.
std::size_t common_folders(const std::vector<std::string>& names) {
  if (names.size() < 2) return 0;
  std::string_view alike = names.front();
  for (const std::string_view name : names) {
    const auto same = std::ranges::mismatch(alike, name).in1 - alike.begin();
    alike = alike.substr(0, static_cast<std::size_t>(same));
  }
  return alike.rfind('/') + 1;  // without a slash 0
}

std::string shortened(const std::string& name, std::size_t longest) {
  if (display_width(name) <= longest || name.size() <= longest) return printable(name, longest);
  const std::size_t half = (longest - 1) / 2;
  return printable(name.substr(0, half)) + "…" + printable(name.substr(name.size() - half));
}

}  // namespace

std::vector<std::string> part_labels(const StatReport& report, std::size_t longest) {
  std::vector<std::string> names;
  for (const StatReport::Part& part : report.parts) names.push_back(part.label);
  const std::size_t folders = report.kind_of_parts == PartKind::cgroup ? common_folders(names) : 0;
  for (std::string& name : names) name = shortened(name.substr(folders), longest);
  return names;
}

}  // namespace tacho

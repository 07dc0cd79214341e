#include "caliper/path_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <vector>

#include "base/text_layout.hpp"
#include "caliper/paths.hpp"

namespace tacho::caliper {
namespace {

// No Cells: those would be destroyed before a report at the end of the program.
constexpr std::array kHead = {"inside each other", "executions", "time ns", "own ns", "of all"};
constexpr std::string_view kSides = "<>>>>";

// The paths below each path, the longest first. The last element has those that have no parent.
std::vector<std::vector<std::size_t>> children_of(std::span<const RegionPath> paths) {
  std::vector<std::vector<std::size_t>> children(paths.size() + 1);
  for (std::size_t i = 0; i < paths.size(); ++i)
    children[paths[i].parent.value_or(paths.size())].push_back(i);
  for (std::vector<std::size_t>& same : children)
    std::ranges::stable_sort(same, std::ranges::greater(),
                             [&](std::size_t i) { return paths[i].ticks; });
  return children;
}

}  // namespace

std::string path_table(std::span<const RegionPath> paths, double clock_hz, std::string_view indent,
                       const NumberStyle& style) {
  if (std::ranges::none_of(paths, [](const RegionPath& path) { return path.parent.has_value(); }))
    return {};
  const auto children = children_of(paths);
  double all = 0;
  for (const RegionPath& path : paths) all += path.own_ticks;
  constexpr double kNanoseconds = 1e9;
  const auto ns = [&](double ticks) { return brief(ticks * kNanoseconds / clock_hz, style); };
  std::vector<Cells> rows = {Cells(kHead.begin(), kHead.end())};
  struct Next {
    std::size_t path;
    std::size_t depth;
  };
  std::vector<Next> next;
  const auto add = [&](const std::vector<std::size_t>& some, std::size_t depth) {
    for (const std::size_t path : std::views::reverse(some)) next.push_back({path, depth});
  };
  add(children.back(), 0);
  while (!next.empty()) {
    const auto [at, depth] = next.back();
    next.pop_back();
    const RegionPath& path = paths[at];
    rows.push_back({std::string(2 * depth, ' ') + path.name, whole(path.executions, style),
                    ns(path.ticks), ns(path.own_ticks),
                    all > 0 ? fmt::format("{:.1f} %", 100 * path.ticks / all) : "-"});
    add(children[at], depth + 1);
  }
  return aligned(rows, kSides, indent);
}

std::string no_path_left(std::uint64_t executions, const NumberStyle& style) {
  return fmt::format(
      "{} {} missing from the table of regions inside each other: a thread had more than {} ways "
      "through its regions, or memory ran out",
      plural(executions, "execution", style), executions == 1 ? "is" : "are", Paths::kMost - 2);
}

}  // namespace tacho::caliper

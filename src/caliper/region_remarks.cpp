#include "caliper/region_remarks.hpp"

#include <fmt/format.h>

namespace tacho::caliper {
namespace {

// "1 execution is", "2 executions are".
std::string these(std::uint64_t count, std::string_view thing, const NumberStyle& style) {
  return plural(count, thing, style) + (count == 1 ? " is" : " are");
}

std::string_view it(std::uint64_t count) {
  return count == 1 ? "it" : "they";
}

}  // namespace

std::vector<std::string> remarks_on(const RemarkedRegion& region, const NumberStyle& style) {
  std::vector<std::string> lines;
  if (region.too_short)
    lines.push_back(fmt::format(
        "(!) '{}' is too short to trust: it takes less than the cost of measuring it, or the "
        "regions "
        "inside it; put more work into it{}",
        region.label,
        region.cost_ticks
            ? fmt::format(" (one measurement costs {} ticks)", brief(*region.cost_ticks, style))
            : ""));
  if (region.recursions > 0)
    lines.push_back(
        fmt::format("'{}' began inside itself {}: only the outermost execution is measured",
                    region.label, plural(region.recursions, "time", style)));
  if (region.unfinished > 0)
    lines.push_back(
        fmt::format("'{}': {} not measured, because {} did not end{}", region.label,
                    these(region.unfinished, "execution", style), it(region.unfinished),
                    region.left_open_by.empty()
                        ? ""
                        : fmt::format("; the first one was begun by {}", region.left_open_by)));
  return lines;
}

std::string not_counted(std::string_view event, std::string_view reason, std::string_view remedy) {
  return fmt::format("{} is not counted: {}{}{}", event, reason, remedy.empty() ? "" : "; ",
                     remedy);
}

std::vector<std::string> remarks_on(const Unmeasured& all, const NumberStyle& style) {
  std::vector<std::string> lines;
  if (all.unmatched > 0)
    lines.push_back(these(all.unmatched, "end", style) + " ignored: the region had not begun");
  if (all.too_deep > 0)
    lines.push_back(these(all.too_deep, "execution", style) +
                    " not measured: more than 64 regions are nested");
  if (all.no_memory > 0)
    lines.push_back(these(all.no_memory, "execution", style) + " not measured: memory ran out");
  return lines;
}

}  // namespace tacho::caliper

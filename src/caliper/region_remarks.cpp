#include "caliper/region_remarks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_layout.hpp"

namespace tacho::caliper {
namespace {

// "1 execution is", "2 executions are".
std::string these(std::uint64_t count, std::string_view thing, const NumberStyle& style) {
  return plural(count, thing, style) + (count == 1 ? " is" : " are");
}

std::string_view it(std::uint64_t count) {
  return count == 1 ? "it" : "they";
}

// A sentence about regions, and their labels.
struct Remark {
  std::string sentence;
  std::vector<std::string> labels;
};

void add(std::vector<Remark>& remarks, std::string sentence, std::string label) {
  const auto same = std::ranges::find(remarks, sentence, &Remark::sentence);
  if (same != remarks.end())
    same->labels.push_back(std::move(label));
  else
    remarks.push_back({std::move(sentence), {std::move(label)}});
}

// "'a', 'b' and 3 more regions".
std::string names(const std::vector<std::string>& labels, const NumberStyle& style) {
  constexpr std::size_t kMostNames = 5;
  const std::size_t shown = std::min(labels.size(), kMostNames);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", labels[i]);
  if (shown < labels.size())
    text += fmt::format(" and {} more regions", whole(labels.size() - shown, style));
  return text;
}

std::string why_too_short(const std::optional<std::string>& costs) {
  if (!costs) return "it takes less than the cost of measuring it, or the regions inside it";
  if (costs->empty()) return "it takes less than the cost of measuring the regions inside it";
  return fmt::format("it takes less than the cost of measuring it ({})", *costs);
}

std::string times_unfinished(const RemarkedRegion& region, const NumberStyle& style) {
  return fmt::format("{} not measured, because {} did not end{}",
                     these(region.unfinished, "execution", style), it(region.unfinished),
                     region.left_open_by.empty()
                         ? ""
                         : fmt::format("; the first one was begun by {}", region.left_open_by));
}

}  // namespace

std::vector<std::string> remarks_on(const std::vector<RemarkedRegion>& regions,
                                    const NumberStyle& style) {
  std::vector<Remark> too_short;
  std::vector<Remark> recursions;
  std::vector<Remark> unfinished;
  std::vector<Remark> absent;
  for (const RemarkedRegion& region : regions) {
    if (region.too_short) add(too_short, why_too_short(region.costs), region.label);
    if (region.recursions > 0)
      add(recursions, plural(region.recursions, "time", style), region.label);
    if (region.unfinished > 0) add(unfinished, times_unfinished(region, style), region.label);
    for (const std::string& sentence : region.not_counted) add(absent, sentence, region.label);
  }
  std::vector<std::string> lines;
  for (const auto& [sentence, labels] : too_short)
    lines.push_back(fmt::format("(!) {} {} too short to trust: {}; put more work into it",
                                names(labels, style), labels.size() == 1 ? "is" : "are", sentence));
  for (const auto& [sentence, labels] : recursions)
    lines.push_back(
        fmt::format("{} began inside itself {}: only the outermost execution is measured",
                    names(labels, style), sentence));
  for (const auto& [sentence, labels] : unfinished)
    lines.push_back(fmt::format("{}: {}", names(labels, style), sentence));
  for (const auto& [sentence, labels] : absent)
    lines.push_back(labels.size() == regions.size()
                        ? sentence
                        : fmt::format("{}: {}", names(labels, style), sentence));
  return lines;
}

std::string region_label(std::string_view name) {
  constexpr std::size_t kColumns = 60;
  return shortened(name, kColumns);
}

std::string not_counted(std::string_view event, std::string_view reason, std::string_view remedy) {
  return fmt::format("{} is not counted: {}{}{}", event, reason, remedy.empty() ? "" : "; ",
                     remedy);
}

std::vector<std::string> remarks_on(const Unmeasured& all, const NumberStyle& style) {
  std::vector<std::string> lines;
  if (all.unmatched > 0)
    lines.push_back(these(all.unmatched, "end", style) + " ignored: the region had not begun");
  if (all.perhaps_unmatched > 0)
    lines.push_back(these(all.perhaps_unmatched, "end", style) +
                    " ignored: the region had begun while regions were off, or had not begun");
  if (all.too_deep > 0)
    lines.push_back(these(all.too_deep, "execution", style) +
                    " not measured: more than 64 regions are nested");
  if (all.no_memory > 0)
    lines.push_back(these(all.no_memory, "execution", style) + " not measured: memory ran out");
  return lines;
}

std::string on_remark(double on_s, double of_s) {
  if (on_s <= 0)
    return "regions were not on: set TACHO_REGIONS=text, call tacho::regions_on(), or run tacho "
           "regions -p PID on";
  return fmt::format("regions were on for {:.3g} s of {:.3g} s", on_s, of_s);
}

}  // namespace tacho::caliper

#include "profile/other_events.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_layout.hpp"
#include "profile/table_cells.hpp"

namespace tacho {
namespace {

constexpr double kWorthAHint = 0.05;         // least share of the other event's samples
constexpr std::uint64_t kFewestHinted = 10;  // samples of the other event in the row

bool is_part(const std::vector<SampledEvent>& events, std::size_t part, std::size_t sum) {
  return std::ranges::count(events[sum].parts, part) > 0;
}

// Whether a reader may want to see this event instead. The parts of a sum, and the sum of a part,
// mostly have the same rows.
bool is_another(const std::vector<SampledEvent>& events, std::size_t event, std::size_t shown) {
  return event != shown && events[event].count.samples > 0 && !is_part(events, event, shown) &&
         !is_part(events, shown, event);
}

std::string row_name(const ProfileRow& row, SortBy sort) {
  if (is_by_owner(sort)) return fmt::format("{}", fmt::join(owner_cells(row, sort), " "));
  if (sort == SortBy::module) return row.module;
  const std::string function = row.function.empty() ? row.module : row.function;
  return sort == SortBy::function || row.file.empty()
             ? function
             : fmt::format("{} ({})", location(row), function);
}

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

std::string basis_words(const std::vector<SampledEvent>& events, std::size_t event,
                        const std::optional<ChosenSamples>& chosen) {
  std::string words = fmt::format("of all samples of {}", printable(events[event].name));
  if (chosen)
    words = fmt::format("of the chosen samples of {} ({} of {} samples): {}",
                        printable(events[event].name), chosen->samples, chosen->all,
                        printable(chosen->words, 1000));
  const auto others = std::ranges::count_if(
      events, [&](const SampledEvent& each) { return each.count.samples > 0; });
  if (others > 1) words += "; -e EVENT shows another event";
  return words;
}

std::vector<std::string> hidden_rows(const ProfileSummary& summary, std::size_t shown) {
  std::vector<std::string> hints;
  for (std::size_t event = 0; event < summary.events.size(); ++event) {
    if (!is_another(summary.events, event, summary.event)) continue;
    const auto hottest = std::ranges::max_element(
        summary.rows, {}, [&](const ProfileRow& row) { return row.counts[event].sum; });
    if (hottest == summary.rows.end() ||
        hottest - summary.rows.begin() < static_cast<std::ptrdiff_t>(shown))
      continue;
    const SampleCount& count = hottest->counts[event];
    const double share = share_of(count.sum, summary.events[event].count.sum);
    if (share < kWorthAHint || count.samples < kFewestHinted) continue;
    const std::string name = printable(summary.events[event].name);
    hints.push_back(
        fmt::format("{:.1f} % of {} fell into {}, which is not among these rows: -e {} "
                    "sorts by it.",
                    100 * share, name, printable(row_name(*hottest, summary.sort), 60), name));
  }
  return hints;
}

}  // namespace tacho

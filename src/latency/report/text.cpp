#include "latency/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.hpp"
#include "base/text_layout.hpp"
#include "latency/inference/list_latency.hpp"
#include "latency/report/condition.hpp"
#include "latency/report/trust.hpp"
#include "report/histogram_bars.hpp"
#include "stats/interval_ends.hpp"

namespace tacho {
namespace {

constexpr std::size_t kHistogramLines = 12;
constexpr std::size_t kFewSizes = 40;  // a table of them fits a screen

constexpr std::string_view kSubtracted = "TLB misses subtracted";
constexpr std::string_view kIndent = "  ";
constexpr std::string_view kPartial = " (partial: it was ended early)";

std::string size_text(double bytes_of, const NumberStyle& style) {
  return bytes(static_cast<std::uint64_t>(std::llround(bytes_of)), style);
}

int digits_of_interval(double half_width) {
  return half_width < 1 ? 2 : half_width < 10 ? 1 : 0;
}

// As many digits as a comparison needs (5.00, 16.0, 131), and no fewer than the interval has.
std::string cycles_text(double cycles, double half_width, const NumberStyle& style) {
  const int digits = cycles < 10 ? 2 : cycles < 100 ? 1 : 0;
  return fixed(cycles, std::max(digits, digits_of_interval(half_width)), style);
}

std::string plus_minus(double half_width, const NumberStyle& style) {
  return "± " + fixed(half_width, digits_of_interval(half_width), style);
}

std::string advertised_text(const Tier& tier, const NumberStyle& style) {
  std::string text = tier.advertised_bytes ? bytes(*tier.advertised_bytes, style) : "";
  if (tier.advertised_ways)
    text += fmt::format(", {}", plural(*tier.advertised_ways, "way", style));
  return text;
}

std::string tiers_text(const LatencyInference& in, const NumberStyle& style) {
  std::vector<Cells> rows = {{"level", "capacity", "95 % interval", "advertised", "cycles", "",
                              "small pages", "ns", "condition"}};
  for (const Tier& tier : in.tiers)
    rows.push_back({tier.name, tier.capacity ? size_text(tier.capacity_bytes, style) : "",
                    tier.capacity ? fmt::format("{} to {}", size_text(tier.capacity->low, style),
                                                size_text(tier.capacity->high, style))
                                  : "",
                    advertised_text(tier, style), cycles_text(tier.cycles, tier.ci95_cycles, style),
                    plus_minus(tier.ci95_cycles, style),
                    tier.small_pages_extra_cycles
                        ? fmt::format("{:+.1f}", *tier.small_pages_extra_cycles)
                        : "",
                    fixed(tier.ns, tier.ns < 100 ? 2 : 0, style), condition(tier, kSubtracted)});
  return aligned(rows, "<>>>>>>><", kIndent);
}

std::string tlb_text(const LatencyInference& in, const NumberStyle& style) {
  if (in.tlb.empty()) return {};
  std::vector<Cells> rows = {{"TLB", "entries", "95 % interval", "advertised", "page",
                              "extra for a hit", "extra for a miss", ""}};
  for (const TlbTier& tier : in.tlb)
    rows.push_back(
        {tier.name, fixed(tier.entries, 0, style),
         fmt::format("{} to {}", fixed(tier.entries_interval.low, 0, style),
                     fixed(tier.entries_interval.high, 0, style)),
         tier.advertised_entries ? whole(*tier.advertised_entries, style) : "",
         bytes(tier.page_bytes, style), fixed(tier.hit_extra_cycles, 1, style) + " cycles",
         fixed(tier.miss_extra_cycles, std::max(1, digits_of_interval(tier.ci95_cycles)), style) +
             " cycles",
         plus_minus(tier.ci95_cycles, style)});
  std::string alignment = "<>>>>>>>";
  constexpr std::size_t kAdvertised = 3;
  if (std::ranges::none_of(
          in.tlb, [](const TlbTier& tier) { return tier.advertised_entries.has_value(); })) {
    for (Cells& row : rows) row.erase(row.begin() + kAdvertised);
    alignment.erase(kAdvertised, 1);
  }
  return '\n' + aligned(rows, alignment, kIndent);
}

// Only if there are few lists, as with --sizes.
std::string sizes_text(const LatencyInference& in, const NumberStyle& style) {
  if (in.sizes.size() > kFewSizes) return {};
  std::vector<Cells> rows = {{"list", "page", "cycles", "", "ns", "bias", "peaks, cycles", ""}};
  for (const SizeLatency& size : in.sizes) {
    std::string peaks;
    // The peaks of faster loads are the clock's steps.
    for (const LatencyMode& mode : size.from_blocks ? std::vector<LatencyMode>() : size.modes)
      peaks += fmt::format("{}{} ({:.0f} %)", peaks.empty() ? "" : ", ",
                           fixed(mode.cycles, 0, style), 100 * mode.share);
    rows.push_back({size.layout == Layout::packed
                        ? bytes(size.bytes, style)
                        : fmt::format("{} lines, one a page", whole(size.lines, style)),
                    bytes(size.page_bytes, style), cycles_text(size.cycles, size.ci95, style),
                    plus_minus(size.ci95, style), fixed(size.ns, size.ns < 100 ? 2 : 0, style),
                    fixed(size.bias_ticks, 0, style), peaks, remark(size)});
  }
  return aligned(rows, ">>>>>><<", kIndent);
}

std::string histogram_of(std::string_view title, const LatencySample& sample,
                         std::string_view access, const NumberStyle& style) {
  return fmt::format("\n{}: {} {}s of {} on pages of {}; cycles, bias included\n", title,
                     whole(sample.singles.total(), style), access, bytes(sample.bytes, style),
                     bytes(sample.page_bytes, style)) +
         histogram_bars(sample.singles, kHistogramLines, sample.cycles_per_tick);
}

// One list of each level: the one whose latency is nearest to the level's, on huge pages if there
// are some.
std::string histograms_text(const LatencyReport& report, const NumberStyle& style) {
  std::string text;
  double from = 0;
  for (const Tier& tier : report.inference.tiers) {
    const double to = tier.capacity ? tier.capacity_bytes : HUGE_VAL;
    const LatencySample* chosen = nullptr;
    double nearest = HUGE_VAL;
    for (std::size_t i = 0; i < report.samples.size(); ++i) {
      const LatencySample& sample = report.samples[i];
      const auto size = static_cast<double>(sample.bytes);
      if (sample.layout != Layout::packed || size <= from || size > to || sample.singles.empty())
        continue;
      if (report.inference.sizes.at(i).disturbed) continue;
      const double away = std::abs(report.inference.sizes[i].cycles / tier.cycles - 1) -
                          (is_huge(sample.page_bytes) ? 1e-6 : 0);
      if (away >= nearest) continue;
      nearest = away;
      chosen = &sample;
    }
    from = to;
    if (chosen == nullptr) continue;
    text += histogram_of(tier.name, *chosen, report.access, style);
  }
  if (report.inference.tiers.empty() && report.samples.size() <= kFewSizes)
    for (const LatencySample& sample : report.samples)
      if (!sample.singles.empty()) text += histogram_of("as timed", sample, report.access, style);
  return text;
}

// "12.3 ± 0.4", with the farther end of the interval, or "12.3 (9.1…17.0)" if it is wide; "12.3
// (?)" if it is unknown.
std::string with_interval(const Estimated& ns, int digits, const NumberStyle& style) {
  const std::string text = fixed(ns.value, digits, style);
  if (!std::isfinite(ns.high)) return text + " (?)";
  const double half = std::max(ns.value - ns.low, ns.high - ns.value);
  if (needs_both_ends(ns.value, half))
    return fmt::format("{} ({}…{})", text, fixed(ns.low, digits, style),
                       fixed(ns.high, digits, style));
  const double least = std::pow(10.0, -digits);
  return half < least / 2 ? fmt::format("{} ± <{}", text, fixed(least, digits, style))
                          : fmt::format("{} ± {}", text, fixed(half, digits, style));
}

std::string parallel_text(const LatencyReport& report, const NumberStyle& style) {
  if (report.parallel.empty()) return {};
  std::vector<Cells> rows = {{"chases at once", "level", "list", "ns for each access"}};
  for (const ParallelLatency& each : report.parallel)
    rows.push_back({std::to_string(each.chases), each.level, bytes(each.bytes, style),
                    with_interval(each.ns, 2, style)});
  return '\n' + aligned(rows, "><>>", kIndent);
}

std::string per_access(const std::optional<PerAccess>& event, const NumberStyle& style) {
  if (!event) return "-";
  std::string text = fixed(event->value, 3, style);
  if (!event->ci95) return '~' + text;
  if (*event->ci95 == 0) return text;
  return text + " ± " + (*event->ci95 < 0.0005 ? "<0.001" : fixed(*event->ci95, 3, style));
}

std::string events_text(const LatencyReport& report, const NumberStyle& style) {
  if (!report.events) return {};
  const EventsOfSizes& events = *report.events;
  std::vector<Cells> rows = {{"list"}};
  std::string sides = ">";
  for (std::size_t i = 0; i < events.names.size(); ++i) {
    const std::string& unit = events.units.at(i);
    rows[0].push_back(events.names[i] + (unit.empty() ? "" : ", " + unit));
    sides += '>';
  }
  for (const AccessEvents& each : events.sizes) {
    Cells row = {bytes(each.bytes, style)};
    for (const auto& event : each.per_access) row.push_back(per_access(event, style));
    rows.push_back(std::move(row));
  }
  std::string text = fmt::format("\nEvents for each access, on pages of {} ({})\n",
                                 bytes(events.page_bytes, style), events.pmu);
  text += aligned(rows, sides, kIndent);
  for (std::size_t i = 0; i < events.names.size(); ++i)
    if (!events.reasons.at(i).empty())
      text += fmt::format("  {}: {}\n", events.names[i], events.reasons[i]);
  return text;
}

std::string circumstances(const LatencyReport& report, const NumberStyle& style) {
  const LatencyInference& in = report.inference;
  const double cycles_per_tick = in.tick_hz > 0 ? in.core_hz / in.tick_hz : 0;
  std::string text = "\n";
  const auto line = [&](std::string_view name, const std::string& what) {
    text += paragraph(fmt::format("  {:<9} ", name), what);
  };
  const std::string rate =
      cycles_per_tick > 0 ? fmt::format("; {} cycles per tick", fixed(cycles_per_tick, 2, style))
                          : std::string();
  const std::string steps =
      report.clock_step > 1
          ? fmt::format(", which advances by {:.4g} ticks at a time", report.clock_step)
          : std::string();
  line("timing", fmt::format("{}{}{}. A pair of readings takes {} ticks by itself "
                             "({} to {} over the lists), which are subtracted",
                             report.clock, steps, rate, fixed(in.bias.ticks, 0, style),
                             fixed(in.bias.least, 0, style), fixed(in.bias.most, 0, style)));
  if (report.simulated) return text;
  std::string machine =
      in.core_hz > 0 ? fmt::format("the core runs at {} GHz", fixed(in.core_hz / 1e9, 2, style))
                     : "the core's clock is unknown, because all lists were disturbed";
  machine += report.governor.empty() ? "; the frequency governor is unknown"
                                     : fmt::format("; frequency governor {}", report.governor);
  if (report.load) machine += fmt::format("; load average {}", fixed(*report.load, 2, style));
  machine += fmt::format("; waited {} s for the CPU", fixed(report.waited_s, 2, style));
  machine += report.stolen_s
                 ? fmt::format(", {} s stolen by the hypervisor", fixed(*report.stolen_s, 2, style))
                 : ", stolen time is unknown";
  line("machine", machine);
  return text;
}

}  // namespace

std::string latency_text(const LatencyReport& report, const NumberStyle& style) {
  const LatencyInference& in = report.inference;
  std::string text =
      fmt::format("{}{}: {} in {} s{}\n\n",
                  report.processor.empty() ? "this processor" : printable(report.processor, 80),
                  report.simulated ? " (simulated)" : fmt::format(", CPU {}", report.cpu),
                  plural(in.sizes.size(), "size", style), fixed(report.seconds, 1, style),
                  report.partial ? kPartial : "");
  if (report.access != "load")
    text += fmt::format("Each access is {} {}.\n\n", report.access.starts_with('a') ? "an" : "a",
                        report.access);
  if (!in.tiers.empty()) text += tiers_text(in, style);
  const std::string few = sizes_text(in, style);
  if (!in.tiers.empty() && !few.empty()) text += '\n';
  text += few + tlb_text(in, style);
  text += parallel_text(report, style);
  if (report.nodes) text += '\n' + matrix_text(*report.nodes, style);
  text += events_text(report, style) + circumstances(report, style);
  const Confidence verdict = trust(report);
  std::string why;
  for (const std::string& reason : verdict.reasons) why += "; " + reason;
  text += paragraph(fmt::format("  {:<9} ", "trust"), verdict.word + why);
  text += histograms_text(report, style);
  if (!report.warnings.empty()) text += '\n';
  for (const std::string& warning : report.warnings)
    text += paragraph("Warning: ", printable(warning, 1000));
  return text;
}

std::string matrix_text(const LatencyMatrix& matrix, const NumberStyle& style) {
  std::vector<Cells> rows = {{""}};
  std::string sides = ">";
  for (const int column : matrix.columns) rows[0].push_back(std::to_string(column)), sides += '>';
  for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
    Cells row = {std::to_string(matrix.rows[i])};
    for (std::size_t k = 0; k < matrix.columns.size(); ++k) {
      const auto& ns = matrix.ns.at(i * matrix.columns.size() + k);
      row.push_back(ns ? with_interval(*ns, 1, style) : "-");
    }
    rows.push_back(std::move(row));
  }
  return fmt::format("{}, ns{}\n{}", matrix.what, matrix.partial ? kPartial : "",
                     aligned(rows, sides, kIndent));
}

}  // namespace tacho

#include "latency/report/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "latency/inference/list_latency.hpp"
#include "latency/report/condition.hpp"
#include "latency/report/trust.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

struct LatencyFields {
  std::string_view kind;
  std::string name = {};
  std::optional<double> bytes = {};  // of a list; a tier's capacity
  std::optional<double> advertised_bytes = {};
  std::optional<double> lines = {};  // of a list; a TLB's entries
  std::optional<double> page_bytes = {};
  std::string layout = {};
  std::optional<double> cycles = {};  // of a load; that a TLB miss adds
  std::optional<double> ci95 = {};
  std::optional<double> ns = {};
  std::optional<double> bias_ticks = {};
  std::optional<double> samples = {};
  std::optional<double> value = {};
  std::string note = {};
  std::optional<Interval> interval = {};
  std::optional<double> hit_extra_cycles = {};
  std::optional<double> small_pages_extra_cycles = {};
  std::optional<double> advertised_ways = {};
  std::string unit = {};  // of an event's value
  std::optional<double> advertised_entries = {};
};

constexpr std::string_view kLatencyHeader =
    "kind,name,bytes,advertised_bytes,lines,page_bytes,layout,cycles,ci95,ns,bias_ticks,samples,"
    "value,note,low,high,hit_extra_cycles,small_pages_extra_cycles,advertised_ways,"
    "unit,advertised_entries\n";

std::string row(const LatencyFields& f) {
  std::string text(f.kind);
  for (const std::string& field :
       {csv_field(f.name),
        csv_number(f.bytes),
        csv_number(f.advertised_bytes),
        csv_number(f.lines),
        csv_number(f.page_bytes),
        csv_field(f.layout),
        csv_number(f.cycles),
        csv_number(f.ci95),
        csv_number(f.ns),
        csv_number(f.bias_ticks),
        csv_number(f.samples),
        csv_number(f.value),
        csv_field(f.note),
        csv_number(f.interval ? std::optional(f.interval->low) : std::nullopt),
        csv_number(f.interval ? std::optional(f.interval->high) : std::nullopt),
        csv_number(f.hit_extra_cycles),
        csv_number(f.small_pages_extra_cycles),
        csv_number(f.advertised_ways),
        csv_field(f.unit),
        csv_number(f.advertised_entries)})
    (text += ',') += field;
  return text + '\n';
}

double number(std::uint64_t value) {
  return static_cast<double>(value);
}

std::string tier_row(const Tier& tier) {
  LatencyFields f{.kind = "tier",
                  .name = tier.name,
                  .cycles = tier.cycles,
                  .ci95 = tier.ci95_cycles,
                  .ns = tier.ns,
                  .samples = number(tier.sizes),
                  .note = condition(tier),
                  .interval = tier.capacity,
                  .small_pages_extra_cycles = tier.small_pages_extra_cycles};
  if (tier.capacity) f.bytes = tier.capacity_bytes;
  if (tier.advertised_bytes) f.advertised_bytes = number(*tier.advertised_bytes);
  if (tier.advertised_ways) f.advertised_ways = number(*tier.advertised_ways);
  return row(f);
}

std::string tlb_row(const TlbTier& tier) {
  LatencyFields f{.kind = "tlb",
                  .name = tier.name,
                  .lines = tier.entries,
                  .page_bytes = number(tier.page_bytes),
                  .cycles = tier.miss_extra_cycles,
                  .ci95 = tier.ci95_cycles,
                  .interval = tier.entries_interval,
                  .hit_extra_cycles = tier.hit_extra_cycles};
  if (tier.advertised_entries) f.advertised_entries = number(*tier.advertised_entries);
  return row(f);
}

std::string size_row(const SizeLatency& size) {
  return row({.kind = "size",
              .bytes = number(size.bytes),
              .lines = number(size.lines),
              .page_bytes = number(size.page_bytes),
              .layout = std::string(to_string(size.layout)),
              .cycles = size.cycles,
              .ci95 = size.ci95,
              .ns = size.ns,
              .bias_ticks = size.bias_ticks,
              .samples = number(size.samples),
              .note = remark(size)});
}

std::string node_rows(const LatencyMatrix& nodes) {
  std::string rows;
  for (std::size_t i = 0; i < nodes.rows.size(); ++i)
    for (std::size_t k = 0; k < nodes.columns.size(); ++k) {
      const auto& ns = nodes.ns.at(i * nodes.columns.size() + k);
      rows += row({.kind = "node",
                   .name = fmt::format("{} to {}", nodes.rows[i], nodes.columns[k]),
                   .ns = ns ? std::optional(ns->value) : std::nullopt,
                   .interval = ns ? std::optional(Interval{ns->low, ns->high}) : std::nullopt});
    }
  return rows;
}

std::string event_rows(const EventsOfSizes& events) {
  std::string rows;
  for (const AccessEvents& each : events.sizes)
    for (std::size_t i = 0; i < each.per_access.size(); ++i) {
      const auto& event = each.per_access[i];
      rows += row({.kind = "event",
                   .name = events.names.at(i),
                   .bytes = number(each.bytes),
                   .ci95 = event ? event->ci95 : std::nullopt,
                   .value = event ? std::optional(event->value) : std::nullopt,
                   .note = events.reasons.at(i),
                   .unit = events.units.at(i)});
    }
  return rows;
}

}  // namespace

std::string latency_csv(const LatencyReport& report) {
  std::string csv(kLatencyHeader);
  for (const Tier& tier : report.inference.tiers) csv += tier_row(tier);
  for (const TlbTier& tier : report.inference.tlb) csv += tlb_row(tier);
  for (const SizeLatency& size : report.inference.sizes) csv += size_row(size);
  for (const ParallelLatency& each : report.parallel)
    csv += row({.kind = "parallel",
                .name = each.level,
                .bytes = number(each.bytes),
                .ns = each.ns.value,
                .value = each.chases,
                .interval = Interval{each.ns.low, each.ns.high}});
  if (report.nodes) csv += node_rows(*report.nodes);
  if (report.events) csv += event_rows(*report.events);
  const Confidence verdict = trust(report);
  csv += row({.kind = "trust",
              .name = std::string(verdict.word),
              .note = fmt::format("{}", fmt::join(verdict.reasons, "; "))});
  for (const std::string& warning : report.warnings)
    csv += row({.kind = "warning", .note = warning});
  return csv;
}

std::string matrix_csv(const LatencyMatrix& matrix) {
  std::string csv = "from,to,ns,low,high\n";
  for (std::size_t i = 0; i < matrix.rows.size(); ++i)
    for (std::size_t k = 0; k < matrix.columns.size(); ++k) {
      const auto& ns = matrix.ns.at(i * matrix.columns.size() + k);
      const auto field = [&](double Estimated::* of) {
        return csv_number(ns ? std::optional((*ns).*of) : std::nullopt);
      };
      csv += fmt::format("{},{},{},{},{}\n", matrix.rows[i], matrix.columns[k],
                         field(&Estimated::value), field(&Estimated::low), field(&Estimated::high));
    }
  return csv;
}

}  // namespace tacho

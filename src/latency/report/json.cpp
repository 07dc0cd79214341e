#include "latency/report/json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "latency/report/condition.hpp"
#include "latency/report/trust.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

Json interval(const std::optional<Interval>& value) {
  if (!value) return nullptr;
  return Json::array({json_number(value->low), json_number(value->high)});
}

Json ends_of(const std::optional<Estimated>& value) {
  if (!value || !std::isfinite(value->high)) return nullptr;
  return Json::array({json_number(value->low), json_number(value->high)});
}

Json json_tiers(const LatencyInference& inference) {
  Json tiers = Json::array();
  for (const Tier& tier : inference.tiers) {
    const bool ends = tier.capacity.has_value();
    tiers.push_back(
        {{"name", tier.name},
         {"condition", condition(tier)},
         {"capacity_bytes", json_number(ends ? std::optional(tier.capacity_bytes) : std::nullopt)},
         {"capacity_ci95", interval(tier.capacity)},
         {"advertised_bytes", tier.advertised_bytes ? Json(*tier.advertised_bytes) : Json()},
         {"advertised_ways", tier.advertised_ways ? Json(*tier.advertised_ways) : Json()},
         {"cycles", json_number(tier.cycles)},
         {"ci95_cycles", json_number(tier.ci95_cycles)},
         {"ns", json_number(tier.ns)},
         {"small_pages_extra_cycles", json_number(tier.small_pages_extra_cycles)},
         {"sizes", tier.sizes}});
  }
  return tiers;
}

Json json_tlb(const LatencyInference& inference) {
  Json tlb = Json::array();
  for (const TlbTier& tier : inference.tlb)
    tlb.push_back(
        {{"name", tier.name},
         {"page_bytes", tier.page_bytes},
         {"entries", json_number(tier.entries)},
         {"entries_ci95", interval(tier.entries_interval)},
         {"advertised_entries", tier.advertised_entries ? Json(*tier.advertised_entries) : Json()},
         {"hit_extra_cycles", json_number(tier.hit_extra_cycles)},
         {"miss_extra_cycles", json_number(tier.miss_extra_cycles)},
         {"ci95_cycles", json_number(tier.ci95_cycles)}});
  return tlb;
}

Json json_modes(const SizeLatency& size) {
  Json modes = Json::array();
  for (const LatencyMode& mode : size.modes)
    modes.push_back({{"cycles", json_number(mode.cycles)},
                     {"range", interval(mode.range)},
                     {"share", json_number(mode.share)}});
  return modes;
}

Json json_sizes(const LatencyReport& report) {
  Json sizes = Json::array();
  for (std::size_t i = 0; i < report.inference.sizes.size(); ++i) {
    const SizeLatency& size = report.inference.sizes[i];
    const LatencySample& sample = report.samples.at(i);
    const double chain = sample.chain_ticks * sample.cycles_per_tick;
    sizes.push_back({{"bytes", size.bytes},
                     {"lines", size.lines},
                     {"page_bytes", size.page_bytes},
                     {"layout", to_string(size.layout)},
                     {"cycles", json_number(size.cycles)},
                     {"ci95", json_number(size.ci95)},
                     {"ns", json_number(size.ns)},
                     {"bias_ticks", json_number(size.bias_ticks)},
                     {"samples", size.samples},
                     {"from_blocks", size.from_blocks},
                     {"modes", json_modes(size)},
                     {"chain_cycles", json_number(chain > 0 ? std::optional(chain) : std::nullopt)},
                     {"core_hz", json_number(sample.cycles_per_tick * report.inference.tick_hz)},
                     {"disturbed", size.disturbed.has_value()},
                     {"disturbance", size.disturbed ? Json(*size.disturbed) : Json()},
                     {"core_shared", size.core_shared},
                     {"other_levels_share", json_number(size.other_levels_share)}});
  }
  return sizes;
}

Json json_parallel(const LatencyReport& report) {
  Json parallel = Json::array();
  for (const ParallelLatency& each : report.parallel)
    parallel.push_back({{"level", each.level},
                        {"bytes", each.bytes},
                        {"chases", each.chases},
                        {"ns_per_access", json_number(each.ns.value)},
                        {"ns_per_access_ci95", ends_of(each.ns)}});
  return parallel;
}

Json json_events_of(const EventsOfSizes& events) {
  Json sizes = Json::array();
  for (const AccessEvents& each : events.sizes) {
    Json values;
    Json ci95;
    for (std::size_t i = 0; i < events.names.size(); ++i) {
      const std::optional<PerAccess>& event = each.per_access.at(i);
      values[events.names[i]] = event ? json_number(event->value) : Json();
      ci95[events.names[i]] = event ? json_number(event->ci95) : Json();
    }
    sizes.push_back({{"bytes", each.bytes},
                     {"per_access", std::move(values)},
                     {"per_access_ci95", std::move(ci95)}});
  }
  Json units = Json::object();
  Json reasons = Json::object();
  for (std::size_t i = 0; i < events.names.size(); ++i) {
    if (!events.units.at(i).empty()) units[events.names[i]] = events.units[i];
    if (!events.reasons.at(i).empty()) reasons[events.names[i]] = events.reasons[i];
  }
  return {{"pmu", events.pmu},
          {"page_bytes", events.page_bytes},
          {"units", std::move(units)},
          {"sizes", std::move(sizes)},
          {"unavailable", std::move(reasons)}};
}

Json json_matrix(const LatencyMatrix& matrix) {
  Json rows = Json::array(), ends = Json::array();
  for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
    Json row = Json::array(), row_ends = Json::array();
    for (std::size_t k = 0; k < matrix.columns.size(); ++k) {
      const auto& ns = matrix.ns.at(i * matrix.columns.size() + k);
      row.push_back(json_number(ns ? std::optional(ns->value) : std::nullopt));
      row_ends.push_back(ends_of(ns));
    }
    rows.push_back(std::move(row));
    ends.push_back(std::move(row_ends));
  }
  return {{"what", matrix.what}, {"rows", matrix.rows}, {"columns", matrix.columns},
          {"ns", rows},          {"ns_ci95", ends},     {"partial", matrix.partial}};
}

}  // namespace

std::string latency_json(const LatencyReport& report) {
  const LatencyInference& inference = report.inference;
  const Confidence verdict = trust(report);
  Json json;
  json["tacho"] = {{"version", report.version}, {"schema", 1}};
  json["processor"] = json_text(report.processor);
  json["simulated"] = report.simulated;
  json["cpu"] = report.cpu;
  json["access"] = report.access;
  json["clock"] = report.clock_step > 1
                      ? fmt::format("{}, in steps of {:.4g}", report.clock, report.clock_step)
                      : report.clock;
  json["tick_hz"] = json_number(inference.tick_hz);
  json["core_hz"] =
      json_number(inference.core_hz > 0 ? std::optional(inference.core_hz) : std::nullopt);
  json["bias_ticks"] = json_number(inference.bias.ticks);
  json["bias_range_ticks"] =
      Json::array({json_number(inference.bias.least), json_number(inference.bias.most)});
  json["seconds"] = json_number(report.seconds);
  json["waited_s"] = json_number(report.waited_s);
  json["stolen_s"] = json_number(report.stolen_s);
  json["governor"] = json_text(report.governor);
  json["load"] = json_number(report.load);
  json["partial"] = report.partial;
  json["trust"] = {{"word", verdict.word}, {"reasons", json_list(verdict.reasons)}};
  json["warnings"] = json_list(report.warnings);
  json["tiers"] = json_tiers(inference);
  json["tlb"] = json_tlb(inference);
  json["sizes"] = json_sizes(report);
  if (!report.parallel.empty()) json["parallel"] = json_parallel(report);
  if (report.nodes) json["nodes"] = json_matrix(*report.nodes);
  if (report.events) json["events"] = json_events_of(*report.events);
  return written(json, 2);
}

std::string matrix_json(const LatencyMatrix& matrix, std::string_view version) {
  Json json;
  json["tacho"] = {{"version", version}, {"schema", 1}};
  json["cores"] = json_matrix(matrix);
  return written(json, 2);
}

}  // namespace tacho

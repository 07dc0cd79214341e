#include <algorithm>

#include "regions/report.hpp"

namespace tacho {
namespace {

// As in the library's own lines.
Json json_values(const RegionQuantity& quantity) {
  if (quantity.values.empty()) return nullptr;
  return {{"scale", quantity.scale}, {"buckets", quantity.values.text()}};
}

Json json_quantity(const RegionQuantity& quantity) {
  return {{"name", quantity.name},
          {"unit", json_text(quantity.unit)},
          {"status", region_status(quantity)},
          {"executions", quantity.executions},
          {"total", json_number(quantity.total)},
          {"ci95", json_number(quantity.ci95)},
          {"share", json_number(quantity.share)},
          {"min", json_number(quantity.minimum)},
          {"mean", json_number(quantity.mean)},
          {"median", json_number(quantity.median)},
          {"p99", json_number(quantity.p99)},
          {"max", json_number(quantity.maximum)},
          {"cost", json_number(quantity.cost)},
          {"reason", json_text(quantity.reason)},
          {"remedy", json_text(quantity.remedy)},
          {"low", json_number(low_of(ends95(quantity)))},
          {"high", json_number(high_of(ends95(quantity)))},
          {"noted", quantity.noted},
          {"values", json_values(quantity)}};
}

Json json_spread(const RegionSummary& region) {
  if (region.processes < 2) return nullptr;
  return {{"min", json_number(region.spread.minimum)},
          {"mean", json_number(time_of(region) / static_cast<double>(region.processes))},
          {"max", json_number(region.spread.maximum)},
          {"longest", region.spread.longest}};
}

Json json_region(const RegionSummary& region) {
  Json quantities = Json::array();
  for (const RegionQuantity& quantity : region.quantities)
    quantities.push_back(json_quantity(quantity));
  return {{"name", region.name},
          {"program", region.program},
          {"processes", region.processes},
          {"threads", region.threads},
          {"executions", region.executions},
          {"recursions", region.recursions},
          {"unfinished", region.unfinished},
          {"left_open_by", json_text(region.left_open_by)},
          {"too_short", region.too_short},
          {"own_ticks", json_number(region.own_ticks)},
          {"ticks_hz", json_number(region.clock_hz)},
          {"ticks_of_a_process", json_spread(region)},
          {"quantities", std::move(quantities)}};
}

}  // namespace

std::string_view region_status(const RegionQuantity& quantity) {
  if (!quantity.total) return "unavailable";
  return quantity.estimated ? "estimated" : "counted";
}

Json json_regions(const std::optional<Regions>& regions) {
  if (!regions) return nullptr;
  Json list = Json::array();
  for (const RegionSummary& region : together(regions->processes))
    list.push_back(json_region(region));
  return list;
}

Json json_region_paths(const std::optional<Regions>& regions) {
  if (!regions) return nullptr;
  Json list = Json::array();
  for (const ProgramPaths& program : paths_together(regions->processes)) {
    const std::size_t first = list.size();
    for (const caliper::RegionPath& path : program.paths)
      list.push_back({{"program", program.program},
                      {"name", path.name},
                      {"parent", path.parent ? Json(first + *path.parent) : Json()},
                      {"executions", path.executions},
                      {"ticks", json_number(path.ticks)},
                      {"own_ticks", json_number(path.own_ticks)}});
  }
  return list;
}

Json json_region_processes(const std::optional<Regions>& regions) {
  if (!regions) return nullptr;
  Json list = Json::array();
  for (const RegionProcess& process : regions->processes)
    list.push_back({{"pid", process.pid},
                    {"program", process.program},
                    {"host", json_text(process.host)},
                    {"rank", process.rank ? Json(*process.rank) : Json()},
                    {"clock", process.clock},
                    {"counting", json_text(process.counting)},
                    {"unmatched", process.unmatched},
                    {"perhaps_unmatched", process.perhaps_unmatched},
                    {"on_s", json_number(process.on_s)},
                    {"of_s", json_number(process.of_s)},
                    {"too_deep", process.too_deep},
                    {"no_memory", process.no_memory},
                    {"without_path", process.without_path}});
  return list;
}

std::string regions_json(const std::optional<Regions>& regions, const Workload& workload,
                         std::string_view version) {
  Json json;
  json["tacho"] = {{"version", version}, {"schema", 1}};
  json["regions"] = json_regions(regions);
  json["region_paths"] = json_region_paths(regions);
  json["region_processes"] = json_region_processes(regions);
  json["warnings"] = json_list(region_warnings(regions, workload));
  return written(json, 2);
}

}  // namespace tacho

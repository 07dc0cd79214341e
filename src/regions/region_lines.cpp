#include "regions/region_lines.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tacho {
namespace {

using nlohmann::json;

// A member of the object; null if there is none.
const json& member(const json& object, const char* key) {
  static const json null;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? null : *found;
}

std::string text(const json& object, const char* key) {
  const json& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<double> number(const json& object, const char* key) {
  const json& value = member(object, key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::uint64_t count(const json& object, const char* key) {
  const json& value = member(object, key);
  return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

RegionQuantity quantity_of(const json& object) {
  RegionQuantity quantity;
  quantity.name = text(object, "name");
  quantity.unit = text(object, "unit");
  quantity.estimated = text(object, "status") == "estimated";
  quantity.executions = count(object, "executions");
  quantity.total = number(object, "total");
  quantity.ci95 = number(object, "ci95");
  quantity.share = number(object, "share");
  quantity.minimum = number(object, "min");
  quantity.mean = number(object, "mean");
  quantity.median = number(object, "median");
  quantity.p99 = number(object, "p99");
  quantity.maximum = number(object, "max");
  quantity.cost = number(object, "cost");
  quantity.reason = text(object, "reason");
  quantity.remedy = text(object, "remedy");
  return quantity;
}

RegionSummary region_of(const json& object, const std::string& program, double clock_hz) {
  RegionSummary region;
  region.program = program;
  region.name = text(object, "name");
  region.clock_hz = clock_hz;
  region.threads = count(object, "threads");
  region.executions = count(object, "executions");
  region.recursions = count(object, "recursions");
  region.unfinished = count(object, "unfinished");
  region.too_short = member(object, "too_short") == true;
  for (const json& quantity : member(object, "quantities"))
    region.quantities.push_back(quantity_of(quantity));
  return region;
}

std::optional<RegionProcess> process_of(std::string_view line) {
  const json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  const double hz = number(member(object, "clock"), "hz").value_or(0);
  const json& regions = member(object, "regions");
  const auto has_name = [](const json& region) { return member(region, "name").is_string(); };
  if (!regions.is_array() || !std::ranges::all_of(regions, has_name) || !std::isfinite(hz) ||
      hz <= 0)
    return std::nullopt;
  RegionProcess process;
  const json& pid = member(object, "pid");
  process.pid = pid.is_number_integer() ? pid.get<std::int64_t>() : 0;
  process.program = text(object, "program");
  process.clock = text(member(object, "clock"), "description");
  process.counting = text(object, "counting");
  process.unmatched = count(object, "unmatched");
  process.too_deep = count(object, "too_deep");
  process.no_memory = count(object, "no_memory");
  for (const json& region : regions)
    process.regions.push_back(region_of(region, process.program, hz));
  return process;
}

}  // namespace

Regions read_regions(std::string_view lines) {
  Regions regions;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    auto process = end == lines.npos ? std::nullopt : process_of(lines.substr(0, end));
    if (process)
      regions.processes.push_back(std::move(*process));
    else
      ++regions.unreadable;
    lines.remove_prefix(end == lines.npos ? lines.size() : end + 1);
  }
  return regions;
}

}  // namespace tacho

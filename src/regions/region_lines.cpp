#include "regions/region_lines.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/json_reader.hpp"

namespace tacho {
namespace {

using nlohmann::json;

RegionQuantity quantity_of(const json& object) {
  RegionQuantity quantity;
  quantity.name = text_of(object, "name");
  quantity.unit = text_of(object, "unit");
  quantity.estimated = text_of(object, "status") == "estimated";
  quantity.executions = count_of(object, "executions");
  quantity.total = number_of(object, "total");
  quantity.ci95 = number_of(object, "ci95");
  quantity.share = number_of(object, "share");
  quantity.minimum = number_of(object, "min");
  quantity.mean = number_of(object, "mean");
  quantity.median = number_of(object, "median");
  quantity.p99 = number_of(object, "p99");
  quantity.maximum = number_of(object, "max");
  quantity.cost = number_of(object, "cost");
  quantity.reason = text_of(object, "reason");
  quantity.remedy = text_of(object, "remedy");
  return quantity;
}

// Most events of a region. A core has a few hundred, and a run counts some of them.
constexpr std::size_t kMostQuantities = 256;

// Most processes. Each takes about 500 bytes in the report.
constexpr std::size_t kMostProcesses = std::size_t{1} << 17;

// Regions and their quantities. Each takes about 300 bytes, and 1000 in the report. When more than
// kMostFigures were read, those of one name are added up. What is left then is at most half.
constexpr std::size_t kMostFigures = std::size_t{1} << 17;

// Most values of a line. A region takes 10 values, and each of its quantities 20.
constexpr std::size_t kMostValues = std::size_t{1} << 19;

std::size_t figures_of(const RegionProcess& process) {
  std::size_t figures = process.regions.size();
  for (const RegionSummary& region : process.regions) figures += region.quantities.size();
  return figures;
}

// Adds up the regions of one name, and leaves them with the first process.
void add_up(std::vector<RegionProcess>& processes) {
  std::vector<RegionSummary> all = together(processes);
  for (RegionProcess& process : processes) process.regions.clear();
  processes.front().regions = std::move(all);
}

RegionSummary region_of(const json& object, const std::string& program, double clock_hz,
                        bool& cut) {
  RegionSummary region;
  region.program = program;
  region.name = text_of(object, "name");
  region.clock_hz = clock_hz;
  region.threads = count_of(object, "threads");
  region.executions = count_of(object, "executions");
  region.recursions = count_of(object, "recursions");
  region.unfinished = count_of(object, "unfinished");
  region.left_open_by = text_of(object, "left_open_by");
  region.too_short = member_of(object, "too_short") == true;
  for (const json& quantity : member_of(object, "quantities")) {
    if (region.quantities.size() == kMostQuantities) {
      cut = true;
      break;
    }
    region.quantities.push_back(quantity_of(quantity));
  }
  return region;
}

// `cut` becomes true if the process has more than tacho keeps.
std::optional<RegionProcess> process_of(std::string_view line, bool& cut) {
  const json object = parse_json(line, kMostValues);
  const double hz = number_of(member_of(object, "clock"), "hz").value_or(0);
  const json& regions = member_of(object, "regions");
  const auto has_name = [](const json& region) { return member_of(region, "name").is_string(); };
  if (!regions.is_array() || !std::ranges::all_of(regions, has_name) || !std::isfinite(hz) ||
      hz <= 0)
    return std::nullopt;
  RegionProcess process;
  const json& pid = member_of(object, "pid");
  process.pid = pid.is_number_integer() ? pid.get<std::int64_t>() : 0;
  process.program = text_of(object, "program");
  process.clock = text_of(member_of(object, "clock"), "description");
  process.counting = text_of(object, "counting");
  process.unmatched = count_of(object, "unmatched");
  process.perhaps_unmatched = count_of(object, "perhaps_unmatched");
  process.on_s = number_of(object, "on_s");
  process.of_s = number_of(object, "of_s");
  process.too_deep = count_of(object, "too_deep");
  process.no_memory = count_of(object, "no_memory");
  for (const json& region : regions) {
    if (process.regions.size() == kMostFigures / 2) {
      cut = true;
      break;
    }
    process.regions.push_back(region_of(region, process.program, hz, cut));
  }
  return process;
}

}  // namespace

Regions read_regions(std::string_view lines) {
  Regions regions;
  std::size_t figures = 0;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    auto process = end == lines.npos ? std::nullopt : process_of(lines.substr(0, end), regions.cut);
    lines.remove_prefix(end == lines.npos ? lines.size() : end + 1);
    if (!process) {
      ++regions.unreadable;
      continue;
    }
    figures += figures_of(*process);
    regions.processes.push_back(std::move(*process));
    bool full = regions.processes.size() == kMostProcesses;
    if (figures > kMostFigures) {
      add_up(regions.processes);
      figures = figures_of(regions.processes.front());
      full = full || figures > kMostFigures / 2;
    }
    if (full && !lines.empty()) {
      regions.cut = true;
      break;
    }
  }
  return regions;
}

}  // namespace tacho

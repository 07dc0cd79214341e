#include "regions/region_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "report/json_reader.hpp"

namespace tacho {
namespace {

using nlohmann::json;

RegionQuantity quantity_of(const json& object) {
  RegionQuantity quantity;
  quantity.name = text_of(object, "name");
  quantity.unit = text_of(object, "unit");
  quantity.noted = member_of(object, "noted") == true;
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
  const json& values = member_of(object, "values");
  quantity.scale = number_of(values, "scale").value_or(1);
  if (auto read = caliper::Distribution::parse(text_of(values, "buckets")))
    quantity.values = std::move(*read);
  quantity.reason = text_of(object, "reason");
  quantity.remedy = text_of(object, "remedy");
  return quantity;
}

// Most events of a region. A core has a few hundred, and a run counts some of them.
constexpr std::size_t kMostQuantities = 256;

// Most processes. Each takes about 500 bytes in the report.
constexpr std::size_t kMostProcesses = std::size_t{1} << 16;

// Regions, their quantities, and paths. Each takes about 300 bytes, and 1000 in the report. When
// more than kMostFigures were read, those of one name are added up. What is left then is at most
// half. Texts count, too: kTextOfAFigure bytes as a figure.
constexpr std::size_t kMostFigures = std::size_t{1} << 16;
constexpr std::size_t kTextOfAFigure = 128;

// Most values of a line, for parse_json(). A region with its ticks and one path takes about 60.
constexpr std::size_t kMostValues = std::size_t{1} << 20;

// Buckets of values, of 16 bytes. Those of processes that come later are left out.
constexpr std::size_t kMostBuckets = std::size_t{1} << 22;

// Linux allows host names of 64 bytes.
constexpr std::size_t kLongestHost = 64;

std::size_t figures_of(const RegionSummary& region) {
  std::size_t text = region.program.size() + region.name.size() + region.left_open_by.size();
  for (const RegionQuantity& quantity : region.quantities)
    text += quantity.name.size() + quantity.unit.size() + quantity.reason.size() +
            quantity.remedy.size();
  return 1 + region.quantities.size() + text / kTextOfAFigure;
}

std::size_t figures_of(const caliper::RegionPath& path) {
  return 1 + path.name.size() / kTextOfAFigure;
}

std::size_t figures_of(const RegionProcess& process) {
  std::size_t figures =
      (process.program.size() + process.clock.size() + process.counting.size()) / kTextOfAFigure;
  for (const RegionSummary& region : process.regions) figures += figures_of(region);
  for (const caliper::RegionPath& path : process.paths) figures += figures_of(path);
  return figures;
}

// Adds the number of the process's buckets to `buckets`, or leaves them out.
void limit_buckets(RegionProcess& process, std::size_t& buckets) {
  for (RegionSummary& region : process.regions)
    for (RegionQuantity& quantity : region.quantities) {
      if (buckets + quantity.values.size() > kMostBuckets) quantity.values = {};
      buckets += quantity.values.size();
    }
}

// Adds up the regions of one name, and the paths of one program. The regions are left with the
// first process, the paths with the first one of their program.
void add_up(std::vector<RegionProcess>& processes) {
  std::vector<RegionSummary> all = together(processes);
  std::vector<ProgramPaths> paths = paths_together(processes);
  for (RegionProcess& process : processes) {
    process.regions.clear();
    process.paths.clear();
  }
  processes.front().regions = std::move(all);
  std::map<std::string_view, RegionProcess*> first;
  for (RegionProcess& process : processes) first.try_emplace(process.program, &process);
  for (ProgramPaths& program : paths) first.at(program.program)->paths = std::move(program.paths);
}

// The paths of a process: none if one of them is not what the library writes.
std::vector<caliper::RegionPath> paths_of(const json& list, bool& cut) {
  std::vector<caliper::RegionPath> paths;
  std::vector<std::size_t> depths;
  std::size_t figures = 0;
  constexpr std::size_t kDeepest = 64;  // of the library
  for (const json& object : list) {
    caliper::RegionPath path;
    path.name = text_of(object, "name");
    path.executions = count_of(object, "executions");
    path.ticks = number_of(object, "ticks").value_or(0);
    path.own_ticks = number_of(object, "own_ticks").value_or(0);
    if (member_of(object, "parent").is_number_unsigned())
      path.parent = static_cast<std::size_t>(count_of(object, "parent"));
    if (path.parent && *path.parent >= paths.size()) return {};
    depths.push_back(path.parent ? depths[*path.parent] + 1 : 1);
    if (depths.back() > kDeepest) return {};
    figures += figures_of(path);
    if (figures > kMostFigures / 2) {
      cut = true;
      break;
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

// "rank 3 on node7", or "process 1234" if no launcher gave it a rank.
std::string name_of(const RegionProcess& process) {
  if (!process.rank) return fmt::format("process {}", process.pid);
  return fmt::format("rank {}{}{}", *process.rank, process.host.empty() ? "" : " on ",
                     process.host);
}

RegionSummary region_of(const json& object, const RegionProcess& process, double clock_hz,
                        bool& cut) {
  RegionSummary region;
  region.program = process.program;
  region.name = text_of(object, "name");
  region.clock_hz = clock_hz;
  region.threads = count_of(object, "threads");
  region.executions = count_of(object, "executions");
  region.recursions = count_of(object, "recursions");
  region.unfinished = count_of(object, "unfinished");
  region.left_open_by = text_of(object, "left_open_by");
  region.own_ticks = number_of(object, "own_ticks");
  region.too_short = member_of(object, "too_short") == true;
  for (const json& quantity : member_of(object, "quantities")) {
    if (region.quantities.size() == kMostQuantities) {
      cut = true;
      break;
    }
    region.quantities.push_back(quantity_of(quantity));
  }
  const double time = time_of(region);
  region.spread = {.minimum = time, .maximum = time, .longest = name_of(process)};
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
  process.host = text_of(object, "host").substr(0, kLongestHost);
  if (member_of(object, "rank").is_number_unsigned()) process.rank = count_of(object, "rank");
  process.clock = text_of(member_of(object, "clock"), "description");
  process.counting = text_of(object, "counting");
  process.unmatched = count_of(object, "unmatched");
  process.perhaps_unmatched = count_of(object, "perhaps_unmatched");
  process.on_s = number_of(object, "on_s");
  process.of_s = number_of(object, "of_s");
  process.too_deep = count_of(object, "too_deep");
  process.no_memory = count_of(object, "no_memory");
  process.paths = paths_of(member_of(object, "paths"), cut);
  process.without_path = count_of(object, "without_path");
  process.clock_hz = hz;
  std::size_t figures = 0;
  for (const json& each : regions) {
    RegionSummary region = region_of(each, process, hz, cut);
    figures += figures_of(region);
    if (figures > kMostFigures / 2) {
      cut = true;
      break;
    }
    process.regions.push_back(std::move(region));
  }
  return process;
}

}  // namespace

Regions read_regions(std::string_view lines) {
  Regions regions;
  std::size_t figures = 0;
  std::size_t buckets = 0;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    auto process = end == lines.npos ? std::nullopt : process_of(lines.substr(0, end), regions.cut);
    lines.remove_prefix(end == lines.npos ? lines.size() : end + 1);
    if (!process) {
      ++regions.unreadable;
      continue;
    }
    limit_buckets(*process, buckets);
    figures += figures_of(*process);
    regions.processes.push_back(std::move(*process));
    bool full = regions.processes.size() == kMostProcesses;
    if (figures > kMostFigures) {
      add_up(regions.processes);
      figures = 0;
      for (const RegionProcess& added : regions.processes) figures += figures_of(added);
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

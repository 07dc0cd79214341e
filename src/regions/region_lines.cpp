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

// Most events of a region. A core has a few hundred, and a run counts some of them.
constexpr std::size_t kMostQuantities = 256;

// Most processes. Each takes about 500 bytes in the report.
constexpr std::size_t kMostProcesses = std::size_t{1} << 17;

// Regions and their quantities. Each takes about 300 bytes, and 1000 in the report. When more than
// kMostFigures were read, those of one name are added up. What is left then is at most half.
constexpr std::size_t kMostFigures = std::size_t{1} << 17;

// Most values of a line, each of about 100 bytes while it is read, and how deep they may be nested.
// A region takes 10 values, and each of its quantities 20.
constexpr std::size_t kMostValues = std::size_t{1} << 19;
constexpr std::size_t kMostDepth = 16;

// Whether a line of JSON is small enough to be read. Looks only at the structure outside strings.
bool is_small(std::string_view line) {
  std::size_t values = 0;
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == '[' || c == '{' || c == ',' || c == ':') ++values;
    if (depth > kMostDepth || values > kMostValues) return false;
  }
  return true;
}

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
  region.name = text(object, "name");
  region.clock_hz = clock_hz;
  region.threads = count(object, "threads");
  region.executions = count(object, "executions");
  region.recursions = count(object, "recursions");
  region.unfinished = count(object, "unfinished");
  region.too_short = member(object, "too_short") == true;
  for (const json& quantity : member(object, "quantities")) {
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
  if (!is_small(line)) return std::nullopt;
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

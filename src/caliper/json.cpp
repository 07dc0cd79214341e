// to_json: a report as one line of JSON. docs/reference/regions.md describes its keys.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/text_layout.hpp"
#include "caliper/report_file.hpp"
#include "stats/interval_ends.hpp"
#include "tacho/report.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

std::string string(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : escaped(bytes)) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

std::string text_or_null(std::string_view text) {
  return text.empty() ? "null" : string(text);
}

// Most numbers are whole, and are written without a fraction.
std::string number(double value) {
  constexpr double kWhole = 9'007'199'254'740'992;  // 2^53
  if (!std::isfinite(value)) return "null";
  if (value == std::floor(value) && std::fabs(value) < kWhole)
    return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{:.17g}", value);
}

std::string json_of(const Quantity& q) {
  const bool counted = q.status != CountStatus::unavailable;
  const bool single = counted && q.executions > 0;
  const bool mean = single || q.status == CountStatus::estimated;
  const bool uncertain = counted && q.has_interval;
  const IntervalEnds ends = positive_ends95(q.total, q.half_width95);
  const auto known = [](bool is, double value) { return is ? number(value) : "null"; };
  return fmt::format(
      R"({{"name":{},"unit":{},"status":"{}","executions":{},"total":{},"ci95":{},"share":{},)"
      R"("min":{},"mean":{},"median":{},"p99":{},"max":{},"cost":{},"reason":{},"remedy":{},)"
      R"("low":{},"high":{}}})",
      string(q.name), string(q.unit), caliper::kStatusNames.at(static_cast<std::size_t>(q.status)),
      q.executions, known(counted, q.total), known(uncertain, q.half_width95),
      known(counted, q.share), known(single, q.minimum), known(mean, q.mean),
      known(single, q.median), known(single, q.p99), known(single, q.maximum),
      known(single, q.cost), text_or_null(q.error.what), text_or_null(q.error.remedy),
      known(uncertain, ends.low), known(uncertain, ends.high));
}

std::string json_of(const RegionFigures& region, std::string_view left_open_by) {
  std::string text = fmt::format(
      R"({{"name":{},"executions":{},"recursions":{},"threads":{},"unfinished":{},"left_open_by":{},)"
      R"("too_short":{},"quantities":[)",
      string(region.name), region.executions, region.recursions, region.threads, region.unfinished,
      text_or_null(left_open_by), region.too_short);
  for (const Quantity& quantity : region.quantities)
    text += (&quantity == region.quantities.data() ? "" : ",") + json_of(quantity);
  return text + "]}";
}

}  // namespace

std::string caliper::to_json(const RegionReport& report, LeftOpen left_open_by,
                             const SwitchedFigures* switched) {
  std::string text = fmt::format(
      R"({{"tacho":{{"version":"{}","schema":1}},"pid":{},"program":{},)"
      R"("clock":{{"description":{},"hz":{},"wall_like":{},"step":{}}},"counting":{},"unmatched":{},)"
      R"("too_deep":{},"no_memory":{},"perhaps_unmatched":{},"on_s":{},"of_s":{},"regions":[)",
      TACHO_VERSION_STRING, report.pid, string(report.program),
      string(caliper::describe(report.clock)), number(report.clock.hz), report.clock.wall_like,
      number(tick_step()), text_or_null(report.explanation), report.unmatched, report.too_deep,
      report.no_memory, switched == nullptr ? 0 : switched->perhaps_unmatched,
      switched == nullptr ? "null" : number(switched->on.on_s),
      switched == nullptr ? "null" : number(switched->on.of_s));
  for (std::size_t i = 0; i < report.regions.size(); ++i)
    text += (i == 0 ? "" : ",") + json_of(report.regions[i], left_open_at(left_open_by, i));
  return text + "]}\n";
}

std::string v0::to_json(const RegionReport& report) {
  return caliper::to_json(report, {}, nullptr);
}

}  // namespace tacho

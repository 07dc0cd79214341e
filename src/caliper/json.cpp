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

using caliper::json_string;

std::string text_or_null(std::string_view text) {
  return text.empty() ? "null" : json_string(text);
}

// Most numbers are whole, and are written without a fraction.
std::string number(double value) {
  constexpr double kWhole = 9'007'199'254'740'992;  // 2^53
  if (!std::isfinite(value)) return "null";
  if (value == std::floor(value) && std::fabs(value) < kWhole)
    return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{:.17g}", value);
}

std::string json_of(const caliper::Values& values) {
  if (values.distribution.empty()) return "null";
  return fmt::format(R"({{"scale":{},"buckets":"{}"}})", number(values.scale),
                     values.distribution.text());
}

std::string json_of(const Quantity& q, const caliper::Values& values, bool noted) {
  const bool counted = q.status != CountStatus::unavailable;
  const bool single = counted && q.executions > 0;
  const bool mean = single || q.status == CountStatus::estimated;
  const bool uncertain = counted && q.has_interval;
  const IntervalEnds ends = positive_ends95(q.total, q.half_width95);
  const auto known = [](bool is, double value) { return is ? number(value) : "null"; };
  return fmt::format(
      R"({{"name":{},"unit":{},"status":"{}","executions":{},"total":{},"ci95":{},"share":{},)"
      R"("min":{},"mean":{},"median":{},"p99":{},"max":{},"cost":{},"reason":{},"remedy":{},)"
      R"("low":{},"high":{},"noted":{},"values":{}}})",
      json_string(q.name), json_string(q.unit),
      caliper::kStatusNames.at(static_cast<std::size_t>(q.status)), q.executions,
      known(counted, q.total), known(uncertain, q.half_width95), known(counted, q.share),
      known(single, q.minimum), known(mean, q.mean), known(single, q.median), known(single, q.p99),
      known(single, q.maximum), known(single, q.cost), text_or_null(q.error.what),
      text_or_null(q.error.remedy), known(uncertain, ends.low), known(uncertain, ends.high), noted,
      json_of(values));
}

std::string json_of(const RegionFigures& region, const caliper::MoreFigures& more) {
  std::string text = fmt::format(
      R"({{"name":{},"executions":{},"recursions":{},"threads":{},"unfinished":{},"left_open_by":{},)"
      R"("too_short":{},"own_ticks":{},"quantities":[)",
      json_string(region.name), region.executions, region.recursions, region.threads,
      region.unfinished, text_or_null(more.left_open_by), region.too_short, number(more.own_ticks));
  for (std::size_t i = 0; i < region.quantities.size(); ++i)
    text +=
        (i == 0 ? "" : ",") + json_of(region.quantities[i],
                                      i < more.values.size() ? more.values[i] : caliper::Values{},
                                      caliper::is_note(i));
  return text + "]}";
}

std::string json_of(const caliper::RegionPath& path) {
  return fmt::format(R"({{"name":{},"parent":{},"executions":{},"ticks":{},"own_ticks":{}}})",
                     json_string(path.name), path.parent ? fmt::format("{}", *path.parent) : "null",
                     path.executions, number(path.ticks), number(path.own_ticks));
}

std::string paths_and_end(const caliper::ProcessReport& whole) {
  std::string text = R"(],"paths":[)";
  for (std::size_t i = 0; i < whole.paths.size(); ++i)
    text += (i == 0 ? "" : ",") + json_of(whole.paths[i]);
  return text + fmt::format(R"(],"without_path":{}}})", whole.without_path) + "\n";
}

}  // namespace

std::string caliper::json_string(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : escaped(bytes)) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

std::string caliper::to_json(const ProcessReport& whole) {
  const RegionReport& report = whole.figures;
  std::string text = fmt::format(
      R"({{"tacho":{{"version":"{}","schema":1}},"pid":{},"program":{},"host":{},"rank":{},)"
      R"("clock":{{"description":{},"hz":{},"wall_like":{},"step":{}}},"counting":{},"unmatched":{},)"
      R"("too_deep":{},"no_memory":{},"perhaps_unmatched":{},"on_s":{},"of_s":{},"regions":[)",
      TACHO_VERSION_STRING, report.pid, json_string(report.program), text_or_null(whole.place.host),
      whole.place.rank.empty() ? "null" : whole.place.rank,
      json_string(caliper::describe(report.clock)), number(report.clock.hz), report.clock.wall_like,
      number(tick_step()), text_or_null(report.explanation), report.unmatched, report.too_deep,
      report.no_memory, whole.switched ? whole.switched->perhaps_unmatched : 0,
      whole.switched ? number(whole.switched->on.on_s) : "null",
      whole.switched ? number(whole.switched->on.of_s) : "null");
  const std::string end = paths_and_end(whole);
  // The regions are made twice: a text that grows takes three times its memory.
  std::size_t size = text.size() + end.size();
  for (std::size_t i = 0; i < report.regions.size(); ++i)
    size += 1 + json_of(report.regions[i], whole.more[i]).size();
  text.reserve(size);
  for (std::size_t i = 0; i < report.regions.size(); ++i)
    text += (i == 0 ? "" : ",") + json_of(report.regions[i], whole.more[i]);
  text += end;
  return text;
}

std::string v0::to_json(const RegionReport& report) {
  return caliper::to_json(caliper::only(report));
}

}  // namespace tacho

// The lines of the series file. The lines of periods are formatted without a JSON library, because
// they come every millisecond.
#include "stat/series.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "report/schema.hpp"

namespace tacho {
namespace {

std::string_view word(Duty duty) {
  switch (duty) {
    case Duty::always:
      return "always";
    case Duty::turned:
      return "turned";
    case Duty::unsupported:
      return "unsupported";
    case Duty::failed:
    case Duty::elsewhere:
      break;
  }
  return "failed";
}

Json event_of(const CountedEvent& event) {
  const bool counted = event.duty == Duty::always || event.duty == Duty::turned;
  Json entry{{"name", event.name},
             {"unit", event.unit},
             {"scale", json_number(event.scale)},
             {"duty", word(event.duty)},
             {"set", event.duty == Duty::turned ? Json(event.set) : Json()},
             {"slot", counted ? Json(event.slot) : Json()},
             {"truth", event.truth ? Json(*event.truth) : Json()},
             {"reason", event.reason.empty() ? Json() : Json(event.reason)},
             {"remedy", event.remedy.empty() ? Json() : Json(event.remedy)}};
  if (!event.core_pmu.empty()) entry["pmu"] = event.core_pmu;
  if (!event.part_of.empty()) entry["part_of"] = event.part_of;
  return entry;
}

// On unequal cores: the lanes, by number, and the reference of each. `at_end` has the totals.
Json lanes_of(const Measurement& measurement, bool at_end) {
  Json lanes = Json::array();
  for (const Lane& lane : measurement.lanes) {
    Json entry{{"pmu", lane.pmu}, {"reference", json_text(lane.reference)}};
    if (at_end)
      entry.update({{"reference_total", lane.reference_total},
                    {"enabled_ns", lane.enabled_ns},
                    {"running_ns", lane.running_ns}});
    lanes.push_back(std::move(entry));
  }
  return lanes;
}

std::string line(const Json& document, SeriesFormat format) {
  return (format == SeriesFormat::csv ? "# " : "") + written(document);
}

// `nothing` is written for a time that is not finite.
std::string time_text(double seconds, std::string_view nothing) {
  return std::isfinite(seconds) ? fmt::format("{:.9f}", seconds) : std::string(nothing);
}

std::string period_json(const Measurement& measurement, const Period& period, std::size_t index,
                        std::span<const std::uint64_t> always, std::uint64_t reference_total) {
  const std::string start = time_text(period.start_s, "null");
  const std::string duration = time_text(period.duration_s, "null");
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, R"({{"period":{},"start_s":{},"duration_s":{},"round":{},"reference":{},)",
                 index, start, duration, period.round, period.reference);
  fmt::format_to(out, R"("reference_total":{},)", reference_total);
  if (measurement.sets > 0) {
    fmt::format_to(out, R"("set":{},"enabled_ns":{},"running_ns":{},"counts":[{}],)", period.set,
                   period.enabled_ns, period.running_ns, fmt::join(period.counts, ","));
  }
  fmt::format_to(out, "\"always\":[{}]}}\n", fmt::join(always, ","));
  return fmt::to_string(text);
}

std::string period_csv(const Measurement& measurement, const Period& period, std::size_t index,
                       std::span<const std::uint64_t> always, std::uint64_t reference_total) {
  const std::string front = fmt::format("{},{},{},{},", index, time_text(period.start_s, ""),
                                        time_text(period.duration_s, ""), period.round);
  const std::string references = fmt::format(",{},{},", period.reference, reference_total);
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (const CountedEvent& event : measurement.events) {
    if (event.duty == Duty::always && event.slot < always.size()) {
      fmt::format_to(out, "{}{}{},{},,\n", front, references, csv_field(event.name),
                     always[event.slot]);
    } else if (event.duty == Duty::turned && event.set == period.set &&
               event.slot < period.counts.size()) {
      fmt::format_to(out, "{}{}{}{},{},{},{}\n", front, period.set, references,
                     csv_field(event.name), period.counts[event.slot], period.enabled_ns,
                     period.running_ns);
    }
  }
  // A period without events still carries its reference.
  if (text.size() == 0) fmt::format_to(out, "{}{},,,\n", front, references);
  return fmt::to_string(text);
}

}  // namespace

SeriesFormat series_format(std::string_view path) {
  return path.ends_with(".csv") ? SeriesFormat::csv : SeriesFormat::json;
}

std::string series_header(const Measurement& measurement, std::string_view version,
                          SeriesFormat format) {
  const Machine& machine = measurement.machine;
  Json events = Json::array();
  for (const CountedEvent& event : measurement.events) events.push_back(event_of(event));
  Json header = {{"tacho", {{"version", version}, {"schema", 1}}},
                 {"command", json_list(measurement.workload.command)},
                 {"label", measurement.workload.label},
                 {"started", measurement.workload.started},
                 {"machine",
                  {{"pmu_kind", to_string(machine.pmu_kind)},
                   {"pmu_name", machine.pmu_name},
                   {"counters", machine.counters ? Json(*machine.counters) : Json()},
                   {"kernel", machine.kernel},
                   {"architecture", machine.architecture},
                   {"cpus", machine.cpus}}},
                 {"reference", measurement.reference},
                 {"period_ms", json_number(measurement.period_ms)},
                 {"sets", measurement.sets},
                 {"events", std::move(events)}};
  if (!measurement.lanes.empty()) {
    header["lanes"] = lanes_of(measurement, false);
    header["lane_of_set"] = measurement.lane_of_set;
  }
  std::string text = line(header, format);
  if (format == SeriesFormat::csv) {
    text +=
        "period,start_s,duration_s,round,set,reference,reference_total,event,count,"
        "enabled_ns,running_ns\n";
  }
  return text;
}

std::string series_period(const Measurement& measurement, const Period& period, std::size_t index,
                          std::span<const std::uint64_t> always, std::uint64_t reference_total,
                          SeriesFormat format) {
  const auto write = format == SeriesFormat::csv ? period_csv : period_json;
  return write(measurement, period, index, always, reference_total);
}

std::string series_end(const Measurement& measurement, SeriesFormat format) {
  const Workload& workload = measurement.workload;
  const bool usage = workload.has_usage;
  const bool simulated = measurement.machine.simulated();
  Json running = Json::array();
  for (const double part : measurement.always_running) running.push_back(json_number(part));
  Json end = {{"exit", json_exit(workload)},
              {"elapsed_s", simulated ? Json() : json_number(workload.elapsed_s)},
              {"simulated_s", simulated ? json_number(workload.elapsed_s) : Json()},
              {"user_s", usage ? json_number(workload.user_s) : Json()},
              {"system_s", usage ? json_number(workload.system_s) : Json()},
              {"max_rss_bytes", usage ? Json(workload.max_rss_bytes) : Json()},
              {"reference_total", measurement.reference_total},
              {"always", measurement.always},
              {"always_running", std::move(running)},
              {"reached_period_ms", json_number(measurement.reached_period_ms)},
              {"turn_cost_us", json_number(measurement.turn_cost_us)},
              {"turning_s", json_number(measurement.turning_s)},
              {"warnings", json_list(measurement.warnings)}};
  if (!measurement.lanes.empty()) end["lanes"] = lanes_of(measurement, true);
  Json last;
  last["end"] = std::move(end);
  return line(last, format);
}

}  // namespace tacho

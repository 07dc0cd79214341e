// The reports of `tacho report` and `tacho annotate` as JSON, schema 1.
#include <fmt/format.h>

#include <algorithm>

#include "profile/report.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

Json head(std::string_view version) {
  return {{"version", version}, {"schema", 1}};
}

Json json_range(const ShareInterval& interval) {
  return Json::array({json_number(interval.low), json_number(interval.high)});
}

// Period and frequency are null if the recording does not have them or the event was only read.
Json json_event(const SampledEvent& event, const std::vector<SampledEvent>& events) {
  Json parts = Json::array();
  for (const std::size_t part : event.parts) parts.push_back(events[part].name);
  return {{"name", event.name},
          {"sum_of", std::move(parts)},
          {"samples", event.count.samples},
          {"count", event.is_sampled() ? Json(event.occurred(event.count)) : Json()},
          {"counted", event.counted ? Json(*event.counted) : Json()},
          {"periods", event.count.sum},
          {"period", event.period > 0 ? Json(event.period) : Json()},
          {"frequency", event.frequency > 0 ? Json(event.frequency) : Json()},
          {"exact", event.exact},
          {"unsampled", json_number(event.unsampled.share(event.count.sum))}};
}

// Null if all samples are shown.
Json json_chosen(const std::optional<ChosenSamples>& chosen) {
  if (!chosen) return {};
  return {{"what", chosen->words}, {"samples", chosen->samples}, {"of", chosen->all}};
}

Json json_address(const std::optional<std::uint64_t>& address) {
  return address ? Json(fmt::format("0x{:x}", *address)) : Json();
}

Json json_metrics(const std::vector<RowMetric>& metrics) {
  Json json = Json::object();
  for (const RowMetric& metric : metrics)
    json[metric.name] = {{"value", json_number(metric.value)},
                         {"ci95", metric.value ? json_number(metric.ci95) : Json()},
                         {"unit", metric.unit}};
  return json;
}

// By event. If an event has no sample in the whole recording, its number of occurrences is not
// known.
Json json_counts(const std::vector<SampleCount>& counts,
                 const std::vector<CountInterval>& intervals,
                 const std::vector<SampledEvent>& events) {
  Json json = Json::array();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto& [low, high] = intervals[i];
    json.push_back(
        {{"samples", counts[i].samples},
         {"count", events[i].is_sampled() ? Json(events[i].occurred(counts[i])) : Json()},
         {"ci95", events[i].count.samples > 0 ? Json::array({json_number(low), json_number(high)})
                                              : Json()}});
  }
  return json;
}

Json json_row(const ProfileRow& row, const ProfileSummary& summary) {
  return {{"module", row.module},
          {"path", row.path},
          {"function", json_text(row.function)},
          {"signature", json_text(row.signature)},
          {"file", json_text(row.file)},
          {"line", row.line > 0 ? Json(row.line) : Json()},
          {"address", json_address(row.address)},
          {"command", json_text(row.command)},
          {"pid", row.pid ? Json(*row.pid) : Json()},
          {"tid", row.tid ? Json(*row.tid) : Json()},
          {"cpu", row.cpu ? Json(*row.cpu) : Json()},
          {"samples", row.counts[summary.event].samples},
          {"count", summary.events[summary.event].occurred(row.counts[summary.event])},
          {"share", json_number(row.share)},
          {"ci95", json_range(row.ci95)},
          {"total", json_number(row.total)},
          {"total_ci95", row.total ? json_range(row.total_ci95) : Json()},
          {"total_is_at_least", row.total_is_at_least},
          {"events", json_counts(row.counts, row.counts95, summary.events)},
          {"metrics", json_metrics(row.metrics)}};
}

Json json_count(const AnnotatedCount& part, const Annotation& annotation) {
  const std::size_t event = annotation.event;
  return {{"samples", part.counts[event].samples},
          {"count", annotation.events[event].occurred(part.counts[event])},
          {"share", json_number(part.share)},
          {"ci95", json_range(part.ci95)},
          {"events", json_counts(part.counts, part.counts95, annotation.events)},
          {"metrics", json_metrics(part.metrics)}};
}

// Puts rows into an array of a text, which has it empty. A row as JSON takes ten times the memory
// of its text.
template <class ToJson>
std::string with_rows(std::string_view whole, std::string_view name, std::size_t count,
                      const ToJson& to_json) {
  constexpr std::size_t kMostReserved = std::size_t{64} << 20;   // bytes
  const std::string empty = fmt::format("\n  \"{}\": [", name);  // no string has a newline
  const std::size_t place = whole.find(empty) + empty.size();
  std::string text(whole.substr(0, place));
  for (std::size_t i = 0; i < count; ++i) {
    std::string row = written(to_json(i), 2);
    row.pop_back();  // the newline
    text += i == 0 ? "\n    " : ",\n    ";
    for (const char c : row) {
      text += c;
      if (c == '\n') text += "    ";
    }
    // Growing as needed would take up to three times the memory. The first row can be far longer
    // than the others.
    if (i == 0)
      text.reserve(text.size() + std::min(count * (text.size() - place) * 5 / 4, kMostReserved));
  }
  if (count > 0) text += "\n  ";
  return text.append(whole.substr(place));
}

Json json_instruction(const AnnotatedInstruction& each, const Annotation& annotation) {
  const bool has_line = each.line < annotation.lines.size();
  Json entry{{"address", fmt::format("0x{:x}", each.address)},
             {"text", each.text},
             {"file", has_line ? json_text(annotation.lines[each.line].file) : Json()},
             {"line", has_line ? Json(annotation.lines[each.line].number) : Json()},
             {"inlined", json_text(each.inlined)}};
  entry.update(json_count(each.samples, annotation));
  return entry;
}

Json json_line(const AnnotatedLine& each, const Annotation& annotation) {
  Json entry{{"file", each.file}, {"line", each.number}, {"text", json_text(each.text)}};
  entry.update(json_count(each.samples, annotation));
  return entry;
}

}  // namespace

std::string profile_json(const ProfileSummary& summary, std::size_t limit,
                         std::string_view version) {
  Json events = Json::array();
  for (const SampledEvent& event : summary.events)
    events.push_back(json_event(event, summary.events));
  // Lost records do not name their event: it is known if there is one event only.
  if (events.size() == 1) events[0]["lost"] = summary.lost;
  for (Json& event : events) event.emplace("lost", nullptr);
  Json comparisons = Json::array();
  for (const Comparison& each : summary.comparisons)
    comparisons.push_back({{"rows", {each.row, each.row + 1}},
                           {"apart", each.apart},
                           {"hidden", each.hidden},
                           {"samples_missing", each.missing ? Json(*each.missing) : Json()}});
  const std::string whole = written(
      {{"tacho", head(version)},
       {"command", json_list(summary.command)},
       {"machine",
        {{"host", json_text(summary.host)},
         {"kernel", json_text(summary.kernel)},
         {"cpu", json_text(summary.cpu)}}},
       {"recorded_by", json_text(summary.recorded_by)},
       {"seconds", json_number(summary.seconds)},
       {"sample_cost_ns", json_number(summary.sample_cost_ns)},
       {"overhead", json_number(summary.overhead)},
       {"lost", summary.lost},
       {"most_lost_samples", summary.most_lost_samples ? Json(*summary.most_lost_samples) : Json()},
       {"throttled", summary.throttled},
       {"cut_chains", summary.cut_chains},
       {"events", std::move(events)},
       {"event",
        summary.event < summary.events.size() ? Json(summary.events[summary.event].name) : Json()},
       {"chosen", json_chosen(summary.chosen)},
       {"sort", to_string(summary.sort)},
       {"rows", Json::array()},
       {"comparisons", std::move(comparisons)},
       {"warnings", json_list(summary.warnings)}},
      2);
  const std::size_t count = limit == 0 ? summary.rows.size() : std::min(limit, summary.rows.size());
  return with_rows(whole, "rows", count,
                   [&](std::size_t i) { return json_row(summary.rows[i], summary); });
}

std::string call_view_json(const CallView& view, std::string_view version) {
  Json rows = Json::array();
  for (const CallShare& row : view.rows)
    rows.push_back({{"module", json_text(row.module)},
                    {"function", json_text(row.function)},
                    {"cut", row.cut},
                    {"samples", row.count.samples},
                    {"count", row.count.sum},
                    {"share", json_number(row.share)},
                    {"ci95", json_range(row.ci95)}});
  return written({{"tacho", head(version)},
                  {"module", view.module},
                  {"function", view.function},
                  {"chosen", json_chosen(view.chosen)},
                  {"samples", view.total.samples},
                  {view.side == CallSide::callers ? "callers" : "callees", std::move(rows)}},
                 2);
}

std::string annotation_json(const Annotation& annotation, std::string_view version) {
  Json events = Json::array();
  for (const SampledEvent& each : annotation.events)
    events.push_back(json_event(each, annotation.events));
  const AnnotatedCount& total = annotation.total;
  std::string text = written(
      {{"tacho", head(version)},
       {"events", events},
       {"event", events[annotation.event]},
       {"chosen", json_chosen(annotation.chosen)},
       {"module", annotation.module},
       {"path", annotation.path},
       {"function", annotation.function},
       {"inlined_into", json_text(annotation.inlined_into)},
       {"samples", total.counts[annotation.event].samples},
       {"count", annotation.events[annotation.event].occurred(total.counts[annotation.event])},
       {"share", json_number(total.share)},
       {"ci95", json_range(total.ci95)},
       {"counts", json_counts(total.counts, total.counts95, annotation.events)},
       {"metrics", json_metrics(total.metrics)},
       {"lines", Json::array()},
       {"instructions", Json::array()},
       {"warnings", json_list(annotation.warnings)}},
      2);
  text = with_rows(text, "lines", annotation.lines.size(),
                   [&](std::size_t i) { return json_line(annotation.lines[i], annotation); });
  return with_rows(text, "instructions", annotation.instructions.size(), [&](std::size_t i) {
    return json_instruction(annotation.instructions[i], annotation);
  });
}

}  // namespace tacho

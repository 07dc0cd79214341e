// The wall-clock report as JSON and as CSV. Times are in ns.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <ranges>
#include <set>

#include "report/schema.hpp"
#include "wall/report/thread_order.hpp"
#include "wall/report/wall_report.hpp"

namespace tacho {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::ptrdiff_t>::max();  // rows

Json json_sum(const WaitSum& sum) {
  return {{"ns", json_number(sum.total_ns)},
          {"ci95", Json::array({json_number(sum.low_ns), json_number(sum.high_ns)})},
          {"times", json_number(sum.times)},
          {"longest_ns", sum.longest_ns}};
}

Json json_times(const ThreadTimes& times) {
  return {{"life_ns", times.life_ns()},
          {"running_ns", times.running_ns},
          {"ready_ns", times.ready_ns},
          {"waiting_ns", times.waiting_ns},
          {"unknown_ns", times.unknown_ns}};
}

Json json_place(const WaitPlace& place, const WallSummary& summary) {
  const WaitByReason& reason = summary.reasons[place.reason];
  Json json = {{"state", reason.ready ? "ready" : "waiting"}, {"reason", reason.reason.name}};
  json.update(json_sum(place.sum));
  json["functions"] = json_list(place.functions);
  json["cut"] = place.cut;
  return json;
}

// A number in WallSummary::places, or null.
Json json_number_of(std::optional<std::size_t> place) {
  return place ? Json(*place) : Json();
}

Json json_thread(const WallThread& thread, std::uint64_t begin_ns) {
  Json json = {{"pid", thread.times.pid},
               {"tid", thread.times.tid},
               {"name", json_text(thread.name)},
               {"begin_ns", thread.times.begin_ns - begin_ns}};
  json.update(json_times(thread.times));
  Json longest = Json::array();
  for (const LongWait& wait : thread.longest)
    longest.push_back({{"begin_ns", wait.begin_ns},
                       {"ns", wait.length_ns},
                       {"place", json_number_of(wait.place)}});
  json["longest"] = std::move(longest);
  return json;
}

Json json_wake_ups(const WakeUps& row) {
  Json json = {{"place", json_number_of(row.place)},
               {"thread", row.wakers.tids.empty() ? Json() : json_text(row.wakers.name)},
               {"tids", row.wakers.tids},
               {"by_end", row.by_end != WakeUps::End::none},
               {"inferred", row.by_end == WakeUps::End::inferred},
               {"in_interrupt", row.in_interrupt},
               {"functions", json_list(row.functions)}};
  json.update(json_sum(row.waited));
  return json;
}

std::string_view state_name(ThreadState state) {
  switch (state) {
    case ThreadState::running:
      return "running";
    case ThreadState::ready:
      return "ready";
    case ThreadState::waiting:
      return "waiting";
    case ThreadState::unknown:
      break;
  }
  return "unknown";
}

Json json_chosen(const std::optional<ChosenSamples>& chosen) {
  if (!chosen) return {};
  return {{"what", json_text(chosen->words)}, {"samples", chosen->samples}, {"of", chosen->all}};
}

Json json_path(const CriticalPath& path, std::size_t rows) {
  Json parts = Json::array();
  for (const PathPart& part : path.parts | std::views::take(rows)) {
    Json json = {{"state", state_name(part.state)},
                 {"place", json_number_of(part.place)},
                 {"thread", json_text(part.threads.name)},
                 {"tids", part.threads.tids}};
    json.update(json_sum(part.sum));
    parts.push_back(std::move(json));
  }
  return {{"ns", path.total_ns},
          {"outside_ns", path.outside_ns},
          {"certain", path.is_certain},
          {"parts", std::move(parts)}};
}

Json json_reasons(const WallSummary& summary) {
  Json reasons = Json::array();
  for (const WaitByReason& each : summary.reasons) {
    Json reason = {{"state", each.ready ? "ready" : "waiting"},
                   {"reason", each.reason.name},
                   {"words", each.reason.words}};
    reason.update(json_sum(each.sum));
    reasons.push_back(std::move(reason));
  }
  return reasons;
}

Json json_all_wake_ups(const WallSummary& summary, std::size_t rows) {
  Json wake_ups = Json::array();
  for (const WakeUps& row : summary.wake_ups | std::views::take(rows))
    wake_ups.push_back(json_wake_ups(row));
  return wake_ups;
}

// Each with its longest waits.
Json json_some_threads(const WallSummary& summary, std::size_t rows) {
  Json threads = Json::array();
  for (const std::size_t i : thread_order(summary) | std::views::take(rows))
    threads.push_back(json_thread(summary.threads[i], summary.begin_ns));
  return threads;
}

// The longest ones, and those that the first rows of other tables name. Each has its number.
Json json_some_places(const WallSummary& summary, std::size_t rows) {
  std::set<std::size_t> numbers;
  for (std::size_t i = 0; i < std::min(rows, summary.places.size()); ++i) numbers.insert(i);
  for (const WakeUps& row : summary.wake_ups | std::views::take(rows))
    if (row.place) numbers.insert(*row.place);
  if (summary.path)
    for (const PathPart& part : summary.path->parts | std::views::take(rows))
      if (part.place) numbers.insert(*part.place);
  for (const std::size_t i : thread_order(summary) | std::views::take(rows))
    for (const LongWait& wait : summary.threads[i].longest)
      if (wait.place) numbers.insert(*wait.place);
  Json places = Json::array();
  for (const std::size_t number : numbers) {
    Json place = json_place(summary.places[number], summary);
    place["place"] = number;
    places.push_back(std::move(place));
  }
  return places;
}

Json json_function(const WallFunction& row, const WallSummary& summary) {
  const auto sampled = [&](double value) {
    return summary.has_running_samples ? json_number(value) : Json();
  };
  const bool waited = row.reason < summary.reasons.size();
  return {{"module", row.module},
          {"function", row.name},
          {"wall_ns", sampled(row.wall_ns())},
          {"running_ns", sampled(row.running_ns)},
          {"running_ci95", Json::array({sampled(row.low_ns), sampled(row.high_ns)})},
          {"alone_ns", sampled(row.alone_ns)},
          {"path_ns", summary.path && summary.path->is_certain ? sampled(row.path_ns) : Json()},
          {"ready_ns", json_number(row.ready_ns)},
          {"waiting_ns", json_number(row.waiting_ns)},
          {"reason", waited ? Json(summary.reasons[row.reason].reason.name) : Json()}};
}

}  // namespace

std::string wall_json(const WallSummary& summary, std::string_view version) {
  Json json = {{"tacho", {{"version", version}, {"schema", 1}}},
               {"command", json_list(summary.command)},
               {"chosen", json_chosen(summary.chosen)},
               {"span_ns", summary.span_ns},
               {"all", json_times(summary.all)},
               {"running_at_once_ns", summary.time_at},
               {"running_samples", summary.running_samples}};
  json["reasons"] = json_reasons(summary);
  Json places = Json::array();
  for (const WaitPlace& place : summary.places) places.push_back(json_place(place, summary));
  json["places"] = std::move(places);
  Json functions = Json::array();
  for (const WallFunction& row : summary.functions)
    functions.push_back(json_function(row, summary));
  json["functions"] = std::move(functions);
  const std::uint64_t begin = summary.begin_ns;
  Json threads = Json::array();
  for (const WallThread& thread : summary.threads) threads.push_back(json_thread(thread, begin));
  json["threads"] = std::move(threads);
  json["wake_ups_recorded"] = summary.tells_wakes;
  json["wake_ups_by_others_recorded"] = summary.tells_others_wakes;
  json["wake_ups"] = json_all_wake_ups(summary, kAll);
  json["woken_within_waiting"] = summary.woken_within ? json_sum(*summary.woken_within) : Json();
  json["critical_path"] = summary.path ? json_path(*summary.path, kAll) : Json();
  json["recorder_ns"] = summary.recorder_ns ? Json(*summary.recorder_ns) : Json();
  json["warnings"] = json_list(summary.warnings);
  return written(json, 1);
}

std::string wall_member(const WallSummary& summary, std::size_t rows) {
  const Json json = {{"span_ns", summary.span_ns},
                     {"all", json_times(summary.all)},
                     {"running_at_once_ns", summary.time_at},
                     {"running_samples", summary.running_samples},
                     {"reasons", json_reasons(summary)},
                     {"places", json_some_places(summary, rows)},
                     {"places_in_all", summary.places.size()},
                     {"threads", json_some_threads(summary, rows)},
                     {"threads_in_all", summary.threads.size()},
                     {"wake_ups_recorded", summary.tells_wakes},
                     {"wake_ups_by_others_recorded", summary.tells_others_wakes},
                     {"wake_ups_unread", summary.has_unread_wakes},
                     {"wake_ups", json_all_wake_ups(summary, rows)},
                     {"wake_ups_in_all", summary.wake_ups.size()},
                     {"critical_path", summary.path ? json_path(*summary.path, rows) : Json()},
                     {"path_parts_in_all", summary.path ? summary.path->parts.size() : 0}};
  return ",\"waits\":" + written(json);
}

std::string wall_csv(const WallSummary& summary) {
  std::string text = "state,reason,ns,low_ns,high_ns,times,longest_ns,functions\n";
  for (const WaitPlace& place : summary.places) {
    const WaitByReason& reason = summary.reasons[place.reason];
    const WaitSum& sum = place.sum;
    text +=
        fmt::format("{},{},{:.0f},{:.0f},{:.0f},{:.0f},{},{}\n", reason.ready ? "ready" : "waiting",
                    csv_field(reason.reason.name), sum.total_ns, sum.low_ns, sum.high_ns, sum.times,
                    sum.longest_ns, csv_field(fmt::format("{}", fmt::join(place.functions, ";"))));
  }
  return text;
}

}  // namespace tacho

// A comparison as JSON (schema 1) and as CSV.
#include <fmt/format.h>

#include "compare/change_text.hpp"
#include "compare/layout_share.hpp"
#include "compare/report.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

std::string_view to_string(BlockMember::Role role) {
  switch (role) {
    case BlockMember::Role::compared:
      return "compared";
    case BlockMember::Role::control:
      return "control";
    case BlockMember::Role::fixed:
      break;
  }
  return "fixed";
}

Json json_command(const ComparedCommand& command) {
  return {{"label", command.label},
          {"name", json_text(command.name)},
          {"command", json_list(command.words)},
          {"environment", json_list(command.environment)},
          {"directory", json_text(command.directory)},
          {"input", json_text(command.input)}};
}

Json json_change(const PairedChange& change, const PairedRuns& runs) {
  const ComparedMetric& metric = runs.metrics[change.metric];
  const bool known = change.verdict != ChangeVerdict::missing;
  const auto number = [known](double value) {
    return json_number(known ? std::optional(value) : std::nullopt);
  };
  const BlockMember& member = runs.members[change.member];
  return {{"metric", metric.name},
          {"unit", metric.unit},
          {"command", runs.commands[member.command].label},
          {"role", to_string(member.role)},
          {"primary", change.metric == runs.primary},
          {"pairs", change.pairs},
          {"before", number(change.before)},
          {"after", number(change.after)},
          {"scale", change.scale == ChangeScale::ratio ? "ratio" : "difference"},
          {"change", number(change.estimate)},
          {"ci95", {number(change.low), number(change.high)}},
          {"p", number(change.p)},
          {"level", number(change.level)},
          {"verdict", to_string(change.verdict)},
          {"findable", json_number(change.findable)},
          {"reason",
           change.verdict == ChangeVerdict::missing ? json_text(missing_reason(metric)) : Json()}};
}

Json json_run(const ComparedRun& run, const PairedRuns& runs) {
  Json values = Json::array();
  for (const auto& value : run.values) values.push_back(json_number(value));
  return {{"command", runs.commands[runs.members[run.member].command].label},
          {"member", run.member},
          {"block", run.block},
          {"begun_s", json_number(run.begun_s)},
          {"exit", run.exit_code},
          {"output_bytes", run.output_bytes},
          {"output_digest", fmt::format("{:016x}", run.output_digest)},
          {"values", values}};
}

}  // namespace

std::string to_json(const CompareReport& report) {
  const PairedRuns& runs = report.runs;
  const auto list = [](const auto& from, auto make) {
    Json all = Json::array();
    for (const auto& each : from) all.push_back(make(each));
    return all;
  };
  Json json;
  json["tacho"] = {{"version", report.version}, {"schema", 1}};
  json["comparison"] = 1;  // the version of this format
  json["started"] = runs.started;
  json["machine"] = {{"kernel", runs.machine.kernel},
                     {"architecture", runs.machine.architecture},
                     {"cpus", runs.machine.cpus}};
  json["pmu"] = {{"kind", to_string(runs.machine.pmu_kind)},
                 {"name", runs.machine.pmu_name},
                 {"counters", runs.machine.counters ? Json(*runs.machine.counters) : Json()}};
  json["commands"] = list(runs.commands, json_command);
  json["pairs"] = runs.blocks;
  json["looks"] = list(runs.looks, [](std::size_t look) { return Json(look); });
  json["level"] = json_number(runs.level);
  json["stopped"] = to_string(runs.stopped);
  json["changes"] =
      list(report.changes, [&](const PairedChange& each) { return json_change(each, runs); });
  json["gates"] = list(report.gates, [&](const JudgedGate& each) -> Json {
    const PairedChange& change = report.changes[each.change];
    return {{"gate", each.gate.text},
            {"command", runs.commands[runs.members[change.member].command].label},
            {"verdict", to_string(each.verdict)}};
  });
  if (runs.sweep) {
    json["sweep"] = {{"name", runs.sweep->name}, {"values", runs.sweep->values}};
    json["growth"] = list(report.growth, [&](const MetricGrowth& each) -> Json {
      return {{"metric", runs.metrics[each.metric].name},
              {"exponent", json_number(each.growth.exponent)},
              {"ci95", {json_number(each.growth.low), json_number(each.growth.high)}}};
    });
  }
  const auto share = layout_share(runs);
  json["layout_share"] = share ? json_estimated(*share) : Json();
  json["warnings"] = json_list(report.warnings);
  json["metrics"] = list(runs.metrics, [](const ComparedMetric& each) -> Json {
    return {{"name", each.name}, {"unit", each.unit}, {"reason", json_text(each.reason)}};
  });
  json["members"] = list(runs.members, [&](const BlockMember& each) -> Json {
    return {{"command", runs.commands[each.command].label}, {"role", to_string(each.role)}};
  });
  json["runs"] = list(runs.runs, [&](const ComparedRun& each) { return json_run(each, runs); });
  return written(json, 2);
}

namespace {

std::string growth_csv(const CompareReport& report) {
  std::string text = "metric,exponent,low,high\n";
  for (const MetricGrowth& each : report.growth)
    text += fmt::format("{},{},{},{}\n", csv_field(report.runs.metrics[each.metric].name),
                        csv_number(each.growth.exponent), csv_number(each.growth.low),
                        csv_number(each.growth.high));
  return text;
}

}  // namespace

std::string to_csv(const CompareReport& report) {
  const PairedRuns& runs = report.runs;
  if (runs.sweep) return growth_csv(report);
  std::string text =
      "command,metric,unit,before,after,scale,change,low,high,p,pairs,verdict,role\n";
  for (const PairedChange& change : report.changes) {
    const ComparedMetric& metric = runs.metrics[change.metric];
    const BlockMember& member = runs.members[change.member];
    const bool known = change.verdict != ChangeVerdict::missing;
    const auto number = [known](double value) { return known ? csv_number(value) : std::string(); };
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                        csv_field(runs.commands[member.command].shown()), csv_field(metric.name),
                        csv_field(metric.unit), number(change.before), number(change.after),
                        change.scale == ChangeScale::ratio ? "ratio" : "difference",
                        number(change.estimate), number(change.low), number(change.high),
                        number(change.p), change.pairs, to_string(change.verdict),
                        to_string(member.role));
  }
  return text;
}

}  // namespace tacho

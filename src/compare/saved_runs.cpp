#include "compare/saved_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/regular_file.hpp"
#include "compare/run_metrics.hpp"
#include "report/json_reader.hpp"

namespace tacho {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostValues = std::size_t{1} << 22;

constexpr const char* kRemedy = "give a file that 'tacho compare --save FILE' wrote";

std::unexpected<Error> damaged(const std::string& path, std::string_view what) {
  return failure(fmt::format("'{}' is no comparison that tacho saved: {}", path, what), kRemedy);
}

std::vector<std::string> texts_of(const json& object, const char* key) {
  std::vector<std::string> texts;
  for (const json& each : member_of(object, key))
    if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

// A count that is used as an index; the largest one if it is no count, or too large for this
// machine.
std::size_t index_of(const json& object, const char* key) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::size_t>::max();
  if (!member_of(object, key).is_number_unsigned()) return kLargest;
  return static_cast<std::size_t>(std::min(count_of(object, key), kLargest));
}

BlockMember::Role role_of(const std::string& word) {
  if (word == "control") return BlockMember::Role::control;
  return word == "fixed" ? BlockMember::Role::fixed : BlockMember::Role::compared;
}

Machine machine_of(const json& object) {
  const json& machine = member_of(object, "machine");
  const json& pmu = member_of(object, "pmu");
  return {.pmu_kind = pmu_kind_named(text_of(pmu, "kind")),
          .pmu_name = text_of(pmu, "name"),
          .counters = {},
          .kernel = text_of(machine, "kernel"),
          .architecture = text_of(machine, "architecture"),
          .cpus = static_cast<int>(std::min<std::uint64_t>(count_of(machine, "cpus"), 1 << 20))};
}

ComparedCommand command_of(const json& object) {
  ComparedCommand command;
  command.label = text_of(object, "label");
  command.name = text_of(object, "name");
  command.words = texts_of(object, "command");
  command.environment = texts_of(object, "environment");
  command.directory = text_of(object, "directory");
  command.input = text_of(object, "input");
  return command;
}

ComparedRun run_of(const json& object) {
  ComparedRun run;
  run.member = index_of(object, "member");
  run.block = index_of(object, "block");
  run.begun_s = number_of(object, "begun_s").value_or(0);
  run.exit_code = static_cast<int>(count_of(object, "exit") & 0xff);
  run.output_bytes = count_of(object, "output_bytes");
  for (const json& value : member_of(object, "values"))
    run.values.push_back(value.is_number() ? std::optional(value.get<double>()) : std::nullopt);
  return run;
}

// The place of a command by its label.
std::optional<std::size_t> place_of(const PairedRuns& runs, const std::string& label) {
  const auto found = std::ranges::find(runs.commands, label, &ComparedCommand::label);
  if (found == runs.commands.end()) return {};
  return static_cast<std::size_t>(found - runs.commands.begin());
}

// Whether a time, a size or a count can have this value.
bool is_possible(const std::optional<double>& value) {
  constexpr double kLeast = 1e-15, kMost = 1e30;
  return !value || *value == 0 || (*value >= kLeast && *value <= kMost);
}

// What is wrong with the runs; empty if nothing is.
std::string fault_of(const PairedRuns& runs) {
  if (runs.commands.empty() || runs.members.empty()) return "it has no commands";
  if (runs.members.front().command != 0) return "its first member is not the first command";
  for (const ComparedCommand& command : runs.commands)
    if (command.label.empty() || command.words.empty()) return "a command is empty";
  for (const ComparedRun& run : runs.runs)
    if (run.member >= runs.members.size() || run.block > runs.runs.size() ||
        run.values.size() != runs.metrics.size())
      return "a run does not fit the rest";
  std::set<std::pair<std::size_t, std::size_t>> places;
  for (const ComparedRun& run : runs.runs) {
    if (!places.insert({run.member, run.block}).second) return "a command ran twice in a block";
    if (!std::ranges::all_of(run.values, is_possible)) return "a value is not possible";
  }
  std::set<std::string> names;
  for (const ComparedMetric& metric : runs.metrics)
    if (!names.insert(metric.name).second) return "a metric is there twice";
  if (runs.blocks > runs.runs.size()) return "it has fewer runs than pairs";
  if (runs.blocks == 0) return "it has no complete pair";
  return {};
}

}  // namespace

Result<PairedRuns> read_saved_runs(const std::string& path) {
  const auto text = read_regular_file(path, kMostBytes);
  if (!text) return failure(text.error().what, kRemedy);
  return parse_saved_runs(*text, path);
}

Result<PairedRuns> parse_saved_runs(std::string_view text, const std::string& path) {
  const json object = parse_json(text, kMostValues);
  if (object.is_discarded()) return damaged(path, "it is not JSON, or too large");
  if (count_of(object, "comparison") != 1) return damaged(path, "it has another format");
  PairedRuns runs;
  for (const json& each : member_of(object, "commands")) runs.commands.push_back(command_of(each));
  if (runs.commands.size() > kMostCommands) return damaged(path, "it has too many commands");
  for (const json& each : member_of(object, "members")) {
    const auto command = place_of(runs, text_of(each, "command"));
    if (!command) return damaged(path, "a member has no command");
    runs.members.push_back({.command = *command, .role = role_of(text_of(each, "role"))});
  }
  for (const json& each : member_of(object, "metrics"))
    runs.metrics.push_back({text_of(each, "name"), text_of(each, "unit"), text_of(each, "reason")});
  if (runs.metrics.empty()) return damaged(path, "it has no metrics");
  for (const json& each : member_of(object, "runs")) runs.runs.push_back(run_of(each));
  runs.machine = machine_of(object);
  runs.started = text_of(object, "started");
  runs.blocks = index_of(object, "pairs");
  runs.primary = primary_of(runs.metrics);
  runs.looks = {runs.blocks};
  if (const std::string fault = fault_of(runs); !fault.empty()) return damaged(path, fault);
  return runs;
}

PairedRuns first_command(PairedRuns runs) {
  runs.commands.resize(1);
  runs.commands.front().label = "B";
  runs.members.resize(1);
  std::erase_if(runs.runs, [](const ComparedRun& run) { return run.member != 0; });
  return runs;
}

PairedRuns put_beside(const PairedRuns& before, const PairedRuns& after) {
  PairedRuns both = after;
  both.baseline = {.started = before.started, .machine = before.machine};
  both.blocks = std::max(before.blocks, after.blocks);
  ComparedCommand first = before.commands.front();
  first.label = "A";
  both.commands.insert(both.commands.begin(), std::move(first));
  for (BlockMember& member : both.members) ++member.command;
  both.members.insert(both.members.begin(), {.command = 0});
  for (ComparedRun& run : both.runs) ++run.member;
  for (const ComparedRun& run : before.runs) {
    if (run.member != 0) continue;
    ComparedRun taken = run;
    taken.values.clear();
    for (const ComparedMetric& metric : both.metrics) {
      const auto same = std::ranges::find(before.metrics, metric.name, &ComparedMetric::name);
      const auto place = static_cast<std::size_t>(same - before.metrics.begin());
      taken.values.push_back(same == before.metrics.end() ? std::nullopt : run.values[place]);
    }
    both.runs.push_back(std::move(taken));
  }
  return both;
}

}  // namespace tacho

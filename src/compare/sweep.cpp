#include "compare/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "base/parse_number.hpp"

namespace tacho {
namespace {

// Puts the value in the place of each {NAME}. Returns whether there was one.
bool substitute(std::string& text, const std::string& name, const std::string& value) {
  const std::string place = "{" + name + "}";
  bool found = false;
  for (std::size_t at = text.find(place); at != text.npos; at = text.find(place, at)) {
    text.replace(at, place.size(), value);
    at += value.size();
    found = true;
  }
  return found;
}

bool substitute_all(ComparedCommand& command, const std::string& name, const std::string& value) {
  bool found = false;
  for (std::string& word : command.words) found = substitute(word, name, value) || found;
  for (std::string* text : {&command.input, &command.setup, &command.prepare, &command.cleanup})
    found = substitute(*text, name, value) || found;
  return found;
}

// The runs of a metric whose parameter is within these bounds; empty if one is not above 0.
std::vector<GrowthPoint> points_of_metric(const PairedRuns& runs, std::size_t metric, double least,
                                          double most) {
  std::vector<GrowthPoint> points;
  for (const ComparedRun& run : runs.runs) {
    const double n = runs.sweep->values[runs.members[run.member].command];
    if (run.block == 0 || run.block > runs.blocks || n < least || n > most) continue;
    const auto& value = run.values[metric];
    if (!value || *value <= 0) return {};
    points.push_back({n, *value});
  }
  return points;
}

}  // namespace

Result<Sweep> parse_sweep(const std::string& text) {
  const auto wrong = [&](std::string_view why) {
    return failure(fmt::format("--sweep '{}': {}", text, why),
                   "tacho compare --sweep 'n=100,200,400' 'COMMAND {n}'");
  };
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) return wrong("it is not NAME=VALUES");
  Sweep sweep{.name = text.substr(0, equals), .texts = {}, .values = {}};
  std::string_view left = std::string_view(text).substr(equals + 1);
  for (bool more = true; more;) {
    const std::size_t comma = left.find(',');
    more = comma != left.npos;
    const std::string_view word = left.substr(0, comma);
    const auto value = parse_number<double>(word);
    if (!value || *value <= 0) return wrong(fmt::format("'{}' is not a number above 0", word));
    sweep.texts.emplace_back(word);
    sweep.values.push_back(*value);
    if (more) left.remove_prefix(comma + 1);
  }
  if (sweep.values.size() < 2) return wrong("a sweep needs two values");
  if (sweep.values.size() > kMostCommands)
    return wrong(fmt::format("there are more than {} values", kMostCommands));
  if (std::set(sweep.values.begin(), sweep.values.end()).size() < sweep.values.size())
    return wrong("a value occurs twice");
  return sweep;
}

Result<std::vector<ComparedCommand>> commands_of(const Sweep& sweep,
                                                 const ComparedCommand& command) {
  std::vector<ComparedCommand> commands;
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    ComparedCommand each = command;
    each.label = std::string(1, static_cast<char>('A' + i));
    each.name = fmt::format("{}={}", sweep.name, sweep.texts[i]);
    if (!substitute_all(each, sweep.name, sweep.texts[i]))
      return failure(
          fmt::format("the command has no {{{}}}, so each value runs the same", sweep.name),
          fmt::format("write {{{}}} where the value belongs", sweep.name));
    commands.push_back(std::move(each));
  }
  return commands;
}

std::vector<MetricGrowth> growth_of(const PairedRuns& runs) {
  std::vector<MetricGrowth> all;
  constexpr double kAny = std::numeric_limits<double>::infinity();
  for (std::size_t metric = 0; metric < runs.metrics.size(); ++metric) {
    const auto points = points_of_metric(runs, metric, 0, kAny);
    if (!points.empty()) all.push_back({metric, growth(points)});
  }
  return all;
}

std::optional<std::string> bend_warning(const PairedRuns& runs) {
  std::vector<double> values = runs.sweep->values;
  std::ranges::sort(values);
  const std::size_t count = values.size();
  if (count < 3) return {};
  const auto small = points_of_metric(runs, runs.primary, values[0], values[1]);
  const auto large = points_of_metric(runs, runs.primary, values[count - 2], values[count - 1]);
  if (small.empty() || large.empty()) return {};
  const Growth first = growth(small);
  const Growth last = growth(large);
  if (first.high >= last.low && last.high >= first.low) return {};
  return fmt::format(
      "{} is no power of {}: the exponent is {:.2f} between the smallest values and {:.2f} between "
      "the largest ones; a fixed cost, such as the start of the process, does this",
      runs.metrics[runs.primary].name, runs.sweep->name, first.exponent, last.exponent);
}

}  // namespace tacho

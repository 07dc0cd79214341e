#include "compare/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

namespace tacho {
namespace {

constexpr std::size_t kMostSweepValues = 26;  // commands are labelled A to Z

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
    double value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (code != std::errc() || end != word.data() + word.size() || !std::isfinite(value) ||
        value <= 0)
      return wrong(fmt::format("'{}' is not a number above 0", word));
    sweep.texts.emplace_back(word);
    sweep.values.push_back(value);
    if (more) left.remove_prefix(comma + 1);
  }
  if (sweep.values.size() < 2) return wrong("a sweep needs two values");
  if (sweep.values.size() > kMostSweepValues)
    return wrong(fmt::format("there are more than {} values", kMostSweepValues));
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
  for (std::size_t metric = 0; metric < runs.metrics.size(); ++metric) {
    std::vector<GrowthPoint> points;
    bool positive = true;
    for (const ComparedRun& run : runs.runs) {
      if (run.block == 0 || run.block > runs.blocks) continue;
      const auto& value = run.values[metric];
      positive = positive && value && *value > 0;
      if (!positive) break;
      points.push_back({runs.sweep->values[runs.members[run.member].command], *value});
    }
    if (positive && !points.empty()) all.push_back({metric, growth(points)});
  }
  return all;
}

}  // namespace tacho

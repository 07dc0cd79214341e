#include "compare/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include "base/parse_number.hpp"
#include "compare/gate.hpp"
#include "compare/shell_words.hpp"
#include "compare/sweep.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostLooks = 20;            // their level takes 5 ms to compute
constexpr std::size_t kPairsBesideBaseline = 20;  // runs of a command that has no partner
constexpr std::size_t kRunsOfSweep = 10;          // runs of each value
constexpr const char* kUsage = "tacho compare [OPTIONS] 'COMMAND A' 'COMMAND B'";
const std::map<std::string, MemoryLayout> kLayouts{{"kernel", MemoryLayout::kernel},
                                                   {"fixed", MemoryLayout::fixed},
                                                   {"shuffled", MemoryLayout::shuffled}};

// The commands of `A… --- B…`, or of a text each.
Result<std::vector<std::vector<std::string>>> words_of(const CompareOptions& options) {
  std::vector<std::vector<std::string>> all;
  const auto& given = options.commands;
  if (std::ranges::find(given, "---") == given.end()) {
    for (const std::string& text : given) {
      if (!options.shell) {
        all.push_back(TACHO_TRY(shell_words(text)));
        continue;
      }
      if (text.find_first_not_of(" \t\n") == text.npos)
        return failure("a command is empty", kUsage);
      all.push_back({"/bin/sh", "-c", text});
    }
    return all;
  }
  if (options.shell)
    return failure("--shell does not go with ---",
                   "give each command as one text: " + std::string(kUsage));
  all.emplace_back();
  for (const std::string& word : given) {
    if (word == "---")
      all.emplace_back();
    else
      all.back().push_back(word);
  }
  for (const auto& words : all)
    if (words.empty() || words.front().empty())
      return failure("a command is empty", "tacho compare [OPTIONS] -- A… --- B…");
  return all;
}

// A file of --save, by its name.
bool is_saved(const std::string& word) {
  return word.ends_with(".json");
}

// Gives the values of an option to the commands: `VALUE` to all, `B:VALUE` to B alone. A later one
// replaces an earlier one, unless `set` adds them up.
template <class Set>
void give(std::vector<ComparedCommand>& commands, const std::vector<std::string>& values, Set set) {
  for (const std::string& value : values) {
    const auto named = std::ranges::find_if(commands, [&](const ComparedCommand& command) {
      return value.starts_with(command.label + ":");
    });
    if (named != commands.end())
      set(*named, value.substr(named->label.size() + 1));
    else
      for (ComparedCommand& command : commands) set(command, value);
  }
}

// An error if a value is for a command that is not there: `C:VALUE` of two commands.
Result<void> check_letters(const std::vector<ComparedCommand>& commands,
                           const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    const bool has_letter =
        value.size() > 1 && value[1] == ':' && value[0] >= 'A' && value[0] <= 'Z';
    const auto is_named = [&](const ComparedCommand& each) {
      return value.starts_with(each.label);
    };
    if (has_letter && std::ranges::none_of(commands, is_named))
      return failure(fmt::format("'{}' is for a command {}, and there is none", value, value[0]),
                     "commands have letters in their order: B:… is for the second one");
  }
  return {};
}

Result<std::vector<ComparedCommand>> given_commands(const CompareOptions& options) {
  const auto words = TACHO_TRY(words_of(options));
  if (!options.sweep.empty() && words.size() != 1)
    return failure("--sweep takes one command",
                   "tacho compare --sweep 'n=100,200,400' 'COMMAND {n}'");
  const std::size_t first = options.request.against.empty() ? 0 : 1;  // A is in the saved file
  if (words.size() + first < 2 && options.sweep.empty())
    return failure(
        first == 0 ? "a comparison needs two commands" : "there is no command to compare",
        first == 0 ? kUsage : "tacho compare --against FILE 'COMMAND B'");
  if (words.size() + first > kMostCommands)
    return failure(fmt::format("{} commands are too many", words.size()),
                   fmt::format("give at most {}", kMostCommands));
  if (options.names.size() > words.size())
    return failure("there are more names than commands", "give --name once for each command");
  std::vector<ComparedCommand> commands;
  for (std::size_t i = 0; i < words.size(); ++i) {
    ComparedCommand command;
    command.label = std::string(1, static_cast<char>('A' + first + i));
    command.words = words[i];
    if (i < options.names.size()) command.name = options.names[i];
    commands.push_back(std::move(command));
  }
  for (const auto* values : {&options.environment, &options.directories, &options.inputs,
                             &options.setups, &options.prepares, &options.cleanups})
    TACHO_TRY(check_letters(commands, *values));
  give(commands, options.environment, [](ComparedCommand& command, const std::string& value) {
    command.environment.push_back(value);
  });
  const auto replace = [&](const std::vector<std::string>& values,
                           std::string ComparedCommand::* member) {
    give(commands, values,
         [member](ComparedCommand& command, const std::string& value) { command.*member = value; });
  };
  replace(options.directories, &ComparedCommand::directory);
  replace(options.inputs, &ComparedCommand::input);
  replace(options.setups, &ComparedCommand::setup);
  replace(options.prepares, &ComparedCommand::prepare);
  replace(options.cleanups, &ComparedCommand::cleanup);
  for (const ComparedCommand& command : commands)
    if (command.words.size() == 1 && is_saved(command.words.front()))
      return failure(fmt::format("'{}' is a saved file, not a command", command.words.front()),
                     "tacho compare --against FILE 'COMMAND', or two files: compare a.json b.json");
  for (const ComparedCommand& command : commands)
    for (const std::string& variable : command.environment)
      if (variable.starts_with('=') || !variable.contains('='))
        return failure(fmt::format("--env '{}' is not NAME=VALUE", variable),
                       "for one command: --env B:NAME=VALUE");
  return commands;
}

Result<std::optional<double>> precision_of(const std::string& text) {
  if (text.empty()) return std::optional<double>();
  const std::string_view number(text.data(), text.size() - (text.ends_with('%') ? 1 : 0));
  const auto percent = parse_number<double>(number);
  if (!percent || *percent <= 0 || *percent > 100)
    return failure(fmt::format("--precision '{}' is not a percentage", text),
                   "as in --precision 1%");
  return std::optional(*percent / 100);
}

// Looks that the user asks for; empty for the usual ones.
Result<StopRule> stop_of(const CompareOptions& options) {
  StopRule rule{.looks = options.looks, .seconds = options.seconds, .precision = {}};
  rule.precision = TACHO_TRY(precision_of(options.precision));
  if (options.pairs && !rule.looks.empty())
    return failure("-r and --looks exclude each other", "give one of them");
  if (options.pairs) rule.looks = {*options.pairs};
  if (rule.looks.size() > kMostLooks)
    return failure(fmt::format("{} looks are too many", rule.looks.size()),
                   fmt::format("give at most {}", kMostLooks));
  if (std::ranges::adjacent_find(rule.looks, std::greater_equal()) != rule.looks.end())
    return failure("--looks must increase", "as in --looks 10,20,40,80");
  if (!options.request.against.empty() && rule.looks.empty() && !options.simulated)
    rule.looks = {kPairsBesideBaseline};
  if (!options.sweep.empty() && rule.looks.empty() && !options.simulated)
    rule.looks = {kRunsOfSweep};
  return rule;
}

}  // namespace

Result<CompareRequest> request_of(const CompareOptions& options) {
  CompareRequest request = options.request;
  if (options.commands.size() == 2 && std::ranges::all_of(options.commands, is_saved))
    request.files = options.commands;
  else
    request.commands = TACHO_TRY(given_commands(options));
  if (!options.sweep.empty()) {
    request.sweep = TACHO_TRY(parse_sweep(options.sweep));
    request.commands = TACHO_TRY(commands_of(*request.sweep, request.commands.front()));
  }
  request.stop = TACHO_TRY(stop_of(options));
  for (const std::string& gate : options.gates)
    request.gates.push_back(TACHO_TRY(parse_gate(gate)));
  request.layout = kLayouts.at(options.layout);
  request.same_output = !options.expected_output.empty();
  if (options.discard_output) request.output_to = OutputTo::null;
  if (request.same_output && options.discard_output)
    return failure("--expect-output and --discard-output exclude each other", "give one of them");
  if (!request.against.empty() && !request.save.empty())
    return failure("--against and --save exclude each other: the runs are of two sessions",
                   "save a comparison of both commands, side by side");
  if (!request.against.empty() && (request.control || !options.precision.empty()))
    return failure("--against does not go with --control and --precision",
                   "they need runs side by side: give both commands");
  if (request.sweep && (!request.gates.empty() || request.control || !request.against.empty()))
    return failure("--sweep does not go with --gate, --control and --against",
                   "compare the commands for one value");
  if (options.simulated && request.layout != MemoryLayout::kernel)
    return failure("--layout does not go with a simulation: its memory has a layout of its own",
                   "leave it out");
  return request;
}

}  // namespace tacho

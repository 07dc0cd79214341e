#include "help/usage_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/shell_line.hpp"
#include "events/spelling.hpp"
#include "help/app_options.hpp"
#include "help/perf_options.hpp"

namespace tacho {
namespace {

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* each : options_of(app))
    for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
  return names;
}

// The error about words that nothing takes, in their order.
Error unexpected(const CLI::App& asked, std::span<const std::string> words) {
  const std::string& first = words.front();
  if (!first.starts_with('-'))
    return {.what = fmt::format("unexpected argument '{}'", first), .remedy = {}};
  if (const std::string_view instead = instead_of(asked.get_name(), first); !instead.empty())
    return {.what = fmt::format("tacho {} has no {}", asked.get_name(), first),
            .remedy = std::string(instead)};
  return {.what = fmt::format("unknown option '{}'", first),
          .remedy = did_you_mean(first, names_of_options(asked))};
}

// The text around a mark; both empty where it is not there.
struct Halves {
  std::string_view before, after;
};
Halves halves(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == text.npos) return {};
  return {text.substr(0, at), text.substr(at + mark.size())};
}

// "KIND" of "KIND:{auto,hardware}"
std::string_view type_of(std::string_view type) {
  return type.substr(0, type.find(':'));
}

Error in_own_words(const CLI::App& asked, const CLI::ParseError& error) {
  const std::string_view what = error.what();
  if (const auto words = asked.remaining(true);
      dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !words.empty())
    return unexpected(asked, words);
  // "--event: 1 required EVENTS missing"
  if (const auto [option, rest] = halves(what, ": 1 required "); !option.empty())
    return {.what = fmt::format("{} needs a value: {}", option,
                                type_of(halves(rest, " missing").before)),
            .remedy = {}};
  // "--sort: At Most 1 required but received 2"
  if (const auto [option, rest] = halves(what, ": At Most 1 required but received ");
      !option.empty())
    return {.what = fmt::format("{} was given {} times", option, rest), .remedy = "give it once"};
  // "--callers excludes --callees"
  if (const auto [one, other] = halves(what, " excludes "); !one.empty())
    return {.what = fmt::format("{} does not go with {}", one, other),
            .remedy = "leave one of them out"};
  // "Requires at most 1 options be given from [--json,--csv]"
  if (const auto [text, options] = halves(what, "at most 1 options be given from [");
      !text.empty()) {
    std::string list;
    for (const char c : halves(options, "]").before) list += c == ',' ? ", " : std::string(1, c);
    return {.what = fmt::format("only one of {} can be chosen", list),
            .remedy = "leave the others out"};
  }
  // "Could not convert: --json = yes"
  if (const auto [option, value] = halves(halves(what, "Could not convert: ").after, " = ");
      !option.empty())
    return {.what = fmt::format("{} does not take '{}'", option, value), .remedy = {}};
  return {.what = std::string(what), .remedy = {}};
}

std::vector<std::string> names_of_subcommands(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* each : program.get_subcommands({})) names.push_back(each->get_name());
  return names;
}

Error unknown_subcommand(const std::string& word, const std::vector<std::string>& names) {
  const auto perfs = std::ranges::find(perf_subcommands(), word, &PerfSubcommand::name);
  return {.what = fmt::format("unknown subcommand '{}'", word),
          .remedy = perfs != perf_subcommands().end() ? std::string(perfs->instead)
                                                      : did_you_mean(word, names)};
}

Error with_remedy(Error error, const std::string& remedy) {
  if (error.remedy.empty()) error.remedy = remedy;
  return error;
}

}  // namespace

Error usage_error(const CLI::App& asked, const CLI::ParseError& error, const std::string& help) {
  return with_remedy(in_own_words(asked, error), help);
}

std::optional<Error> first_word_error(const CLI::App& program, std::span<const std::string> words,
                                      const std::string& help) {
  if (words.empty()) return std::nullopt;
  const std::string& first = words.front();
  const std::vector<std::string> names = names_of_subcommands(program);
  const auto is_subcommand = [&](const std::string& word) {
    return std::ranges::find(names, word) != names.end();
  };
  if (is_subcommand(first)) return std::nullopt;
  if (!first.starts_with('-')) return with_remedy(unknown_subcommand(first, names), help);
  if (program.get_option_no_throw(first.substr(0, first.find('='))) != nullptr) return std::nullopt;
  // The options of a subcommand stand behind its name.
  const auto named = std::ranges::find_if(words, is_subcommand);
  if (named == words.end())
    return with_remedy({.what = fmt::format("unknown option '{}' before a subcommand", first),
                        .remedy = did_you_mean(first, names_of_options(program))},
                       help);
  std::vector<std::string> right{*named};
  right.insert(right.end(), words.begin(), named);
  right.insert(right.end(), named + 1, words.end());
  return Error{.what = fmt::format("'{}' stands before the subcommand '{}'", first, *named),
               .remedy = fmt::format("put options behind it: tacho {}", shell_line(right))};
}

std::optional<Error> empty_word_error(std::span<const std::string> words, const std::string& help) {
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    if (words[i].empty())
      return Error{.what = fmt::format("the word after '{}' is empty", words[i - 1]),
                   .remedy = help};
    if (words[i].starts_with("--") && words[i].find('=') == words[i].size() - 1)
      return Error{.what = fmt::format("'{}' has no value", words[i]), .remedy = help};
  }
  return std::nullopt;
}

}  // namespace tacho

#include "cli/usage_error.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/spelling.hpp"

namespace tacho {
namespace {

// Of words that nothing takes, with the options that may have been meant.
Error unexpected(const CLI::App& asked, std::string_view words) {
  if (!words.starts_with('-'))
    return {.what = fmt::format("unexpected argument '{}'", words), .remedy = {}};
  const std::string option(words.substr(0, words.find(' ')));
  std::vector<std::string> names;
  for (const CLI::Option* each : asked.get_options())
    for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
  return {.what = fmt::format("unknown option '{}'", option),
          .remedy = did_you_mean(option, names)};
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

Error in_own_words(const CLI::App& asked, const CLI::ParseError& error) {
  const std::string_view what = error.what();
  // What it says of words that nothing takes ends in these.
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return unexpected(asked, halves(what, ": ").after);
  // Of kSubcommands (program.cpp). perf's name for `tacho dump` is script.
  if (const auto [none, word] = halves(what, "unknown subcommand "); !word.empty()) {
    std::vector<std::string> names{"script"};
    for (const CLI::App* each : asked.get_subcommands({})) names.push_back(each->get_name());
    std::string remedy = did_you_mean(word.substr(1, word.size() - 2), names);
    if (const std::size_t at = remedy.find("'script'"); at != remedy.npos)
      remedy.replace(at, 8, "'dump'");
    return {.what = std::string(what), .remedy = std::move(remedy)};
  }
  // "--event: 1 required EVENTS missing"
  if (const auto [option, rest] = halves(what, ": 1 required "); !option.empty())
    return {.what = fmt::format("{} needs a value: {}", option, halves(rest, " missing").before),
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

}  // namespace

Error usage_error(const CLI::App& asked, const CLI::ParseError& error, std::string help) {
  Error made = in_own_words(asked, error);
  if (made.remedy.empty()) made.remedy = std::move(help);
  return made;
}

}  // namespace tacho

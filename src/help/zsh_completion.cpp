// The completion script for zsh: the options of each subcommand as _arguments takes them.
#include <fmt/ranges.h>

#include <string_view>

#include "help/completion.hpp"

namespace tacho {
namespace {

constexpr std::string_view kZshHead = R"ZSH(#compdef tacho
# Completion of tacho for zsh, printed by 'tacho completion zsh'.
_tacho_events() {  # the last event of a list
  local at=${words[(I)--pmu]}
  local -a pmu names
  (( at > 0 && at < CURRENT )) && pmu=(--pmu "$words[at + 1]")
  compset -P '*[,{]'
  names=(${(f)"$($program list $pmu "$PREFIX*" 2>/dev/null | sed '/^$/,$d; s/ .*//')"})
  compadd -S '' -a names
}
_tacho_processes() {
  compset -P '*,'
  compadd -- /proc/<->(N:t)
}
_tacho() {
  local program=$words[1] curcontext=$curcontext
  typeset -A opt_args
  if (( CURRENT == 2 )); then
    local -a subcommands
)ZSH";

constexpr std::string_view kZshTail = R"ZSH(  esac
}
if [[ $funcstack[1] == _tacho ]]; then
  _tacho "$@"
elif (( $+functions[compdef] )); then
  compdef _tacho tacho
fi
)ZSH";

// The text in single quotes, with a backslash before each of `special`.
std::string quoted_for_zsh(std::string_view text, std::string_view special) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'')
      quoted += R"('\'')";
    else
      quoted += special.contains(c) ? std::string{'\\', c} : std::string(1, c);
  }
  return quoted;
}

std::string action_of(const CompletedOption& option) {
  std::string words = quoted_for_zsh(fmt::format("{}", fmt::join(option.words, " ")), ":");
  switch (option.offered) {
    case Offered::words:
      return "(" + words + ")";
    case Offered::words_or_files:
      return fmt::format(R"-( _alternative "words\:name\:({})" "files\:file\:_files")-", words);
    case Offered::files:
      return "_files";
    case Offered::directories:
      return "_files -/";
    case Offered::events:
      return "_tacho_events";
    case Offered::processes:
      return "_tacho_processes";
    case Offered::nothing:
      break;
  }
  return " ";
}

// "'(-e --event)--event=[Events]:value:_tacho_events'" for each name of the option
std::string specs_of(const CompletedOption& option) {
  const bool repeats =
      option.offered == Offered::events || option.offered == Offered::words_or_files;
  const std::string before = repeats ? "*" : fmt::format("({})", fmt::join(option.names, " "));
  std::string specs;
  for (const std::string& name : option.names) {
    const std::string_view joined = name.starts_with("--") ? "=" : "+";
    specs +=
        fmt::format(" \\\n        '{}{}{}[{}]{}'", before, name, option.takes_value ? joined : "",
                    quoted_for_zsh(option.description, "[]:"),
                    option.takes_value ? ":value:" + action_of(option) : "");
  }
  return specs;
}

}  // namespace

std::string zsh_completion(const std::vector<CompletedSubcommand>& subcommands) {
  std::string text(kZshHead), cases;
  text += "    subcommands=(\n";
  for (const CompletedSubcommand& each : subcommands) {
    text += fmt::format("      '{}:{}'\n", each.name, quoted_for_zsh(each.description, ":"));
    cases += fmt::format("    {})\n      _arguments -S{}", each.name,
                         each.takes_command ? " -A '-*'" : "");
    for (const CompletedOption& option : each.options) cases += specs_of(option);
    if (each.takes_command)
      cases += " \\\n        '(-)1:command:_command_names -e' '*::arguments:_normal'";
    for (const CompletedOption& argument : each.arguments)
      cases += fmt::format(" \\\n        '*:argument:{}'", action_of(argument));
    cases += " ;;\n";
  }
  text +=
      "    )\n    _describe subcommand subcommands\n    return\n  fi\n"
      "  shift words\n  (( CURRENT-- ))\n  case $words[1] in\n";
  return (text + cases).append(kZshTail);
}

}  // namespace tacho

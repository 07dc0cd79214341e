// The completion script for bash: functions made of the options, and one that never changes.
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "help/completion.hpp"

namespace tacho {
namespace {

constexpr std::string_view kBashScript =
    R"BASH(_tacho_events() {  # WORD: completes the last event of a list
  local last=${1##*[,\{]} name
  for name in $("${COMP_WORDS[0]}" list ${pmu:+--pmu "$pmu"} "$last*" 2>/dev/null | sed '/^$/,$d; s/ .*//'); do
    COMPREPLY+=("${1%"$last"}$name")
  done
  compopt -o nospace 2>/dev/null  # a comma may follow
}
_tacho_offer() {  # KIND WORD: completes a word of a kind
  case ${1%% *} in
    words) mapfile -t COMPREPLY < <(compgen -W "${1#* }" -- "$2") ;;
    words_or_files)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -W "${1#* }" -- "$2"; compgen -f -- "$2") ;;
    files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
    directories) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
    processes)
      local last=${2##*,}
      mapfile -t COMPREPLY < <(cd /proc && compgen -d -X '![0-9]*' -P "${2%"$last"}" -- "$last") ;;
    events) _tacho_events "$2" ;;
  esac
}
_tacho_command() {  # INDEX: completes the command that begins at this word
  if ((COMP_CWORD == $1)); then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
  elif declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  else
    _tacho_offer files "${COMP_WORDS[COMP_CWORD]}"
  fi
}
_tacho() {
  # Bash splits words at = and :, so simulated:skylake is three.
  local words=() begins=() joined='' word i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $i -gt 1 && ($word == [=:]* || $joined == *[=:]) ]]; then
      joined+=$word
      words[${#words[@]} - 1]=$joined
    else
      joined=$word
      words+=("$word")
      begins+=("$i")
    fi
  done
  local last=$((${#words[@]} - 1)) value='' pmu='' options='' arguments='' takes_command=''
  local cur=${words[last]}
  COMPREPLY=()
  if ((last == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$_tacho_subcommands" -- "$cur")
    return
  fi
  _tacho_describe "${words[1]}"
  for ((i = 2; i < last; i++)); do  # the words before the one that is completed
    word=${words[i]}
    if [[ $takes_command && $word == -- ]]; then _tacho_command "${begins[i + 1]}"; return; fi
    if [[ $takes_command && $word != -?* ]]; then _tacho_command "${begins[i]}"; return; fi
    if [[ $word == --pmu=* ]]; then pmu=${word#*=}; fi
    value=$(_tacho_value "${words[1]}" "$word")
    if [[ $value ]]; then
      if ((++i == last)); then break; fi
      if [[ $word == --pmu ]]; then pmu=${words[i]}; fi
      value=''
    fi
  done
  if [[ $value ]]; then
    _tacho_offer "$value" "$cur"
  elif [[ $cur == --*=* ]]; then
    _tacho_offer "$(_tacho_value "${words[1]}" "${cur%%=*}")" "${cur#*=}"
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ $takes_command ]]; then
    _tacho_command "${begins[last]}"
  else
    _tacho_offer "$arguments" "$cur"
  fi
  # Bash replaces only the part of the word behind its last = or :.
  local breaks='='
  if [[ $COMP_WORDBREAKS == *:* ]]; then breaks='=:'; fi
  local kept=${cur%"${cur##*[$breaks]}"}
  if [[ $cur == --*=* ]]; then kept=${kept#"${cur%%=*}="}; fi
  COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}
complete -F _tacho tacho
)BASH";

std::string_view name_of(Offered offered) {
  switch (offered) {
    case Offered::words:
      return "words";
    case Offered::words_or_files:
      return "words_or_files";
    case Offered::files:
      return "files";
    case Offered::directories:
      return "directories";
    case Offered::events:
      return "events";
    case Offered::processes:
      return "processes";
    case Offered::nothing:
      break;
  }
  return "anything";
}

// "files", or "words a b"
std::string kind_of(const CompletedOption& option) {
  return fmt::format("{}{}{}", name_of(option.offered), option.words.empty() ? "" : " ",
                     fmt::join(option.words, " "));
}

std::string all_names(const std::vector<CompletedOption>& options) {
  std::string names;
  for (const CompletedOption& option : options)
    for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  return names;
}

// "-e|--event" with `before` each name
std::string pattern_of(const CompletedOption& option, std::string_view before) {
  std::string pattern;
  for (const std::string& name : option.names)
    pattern += fmt::format("{}'{} {}'", pattern.empty() ? "" : "|", before, name);
  return pattern;
}

}  // namespace

std::string bash_completion(const std::vector<CompletedSubcommand>& subcommands) {
  std::string text = "# Completion of tacho for bash, printed by 'tacho completion bash'.\n";
  std::string names, describe, values;
  for (const CompletedSubcommand& each : subcommands) {
    names += (names.empty() ? "" : " ") + each.name;
    describe += fmt::format("    {}) options='{}'; arguments='{}'; takes_command={} ;;\n",
                            each.name, all_names(each.options),
                            each.arguments.empty() ? "anything" : kind_of(each.arguments.back()),
                            each.takes_command ? "yes" : "");
    for (const CompletedOption& option : each.options)
      if (option.takes_value)
        values +=
            fmt::format("    {}) echo '{}' ;;\n", pattern_of(option, each.name), kind_of(option));
  }
  text += fmt::format("_tacho_subcommands='{}'\n", names);
  text += fmt::format(
      "_tacho_describe() {{  # SUBCOMMAND: sets variables of _tacho\n"
      "  case $1 in\n{}  esac\n}}\n",
      describe);
  text += fmt::format(
      "_tacho_value() {{  # SUBCOMMAND OPTION: prints what the option takes, if anything\n"
      "  case \"$1 $2\" in\n{}  esac\n}}\n",
      values);
  return text.append(kBashScript);
}

}  // namespace tacho

// The completion script for fish: a line for each option.
#include <fmt/ranges.h>

#include <string_view>

#include "help/completion.hpp"

namespace tacho {
namespace {

constexpr std::string_view kFishHead =
    R"FISH(# Completion of tacho for fish, printed by 'tacho completion fish'.
complete -c tacho -e
complete -c tacho -f
# The state of the command line: 'subcommand', the name of a subcommand whose options may follow, or
# 'command' where the words of a command of the user's begin.
function __tacho_state
  set -l words (commandline -opc)
  test (count $words) -ge 2; or begin; echo subcommand; return; end
  set -l skip 0
  for word in $words[3..]
    if test $skip = 1
      set skip 0
    else if not contains -- $words[2] $__tacho_launching
      continue
    else if test "$word" = --; or not string match -qr -- '^-.' $word
      echo command
      return
    else if contains -- "$words[2] $word" $__tacho_with_value
      set skip 1
    end
  end
  echo $words[2]
end
function __tacho_is
  test (__tacho_state) = $argv[1]
end
# Where the command's own words begin: the number of words before it.
function __tacho_command
  set -l words (commandline -opc)
  set -l before 2
  set -l skip 0
  for word in $words[3..]
    if test $skip = 1
      set skip 0
    else if test "$word" = --
      set before (math $before + 1)
      break
    else if not string match -qr -- '^-.' $word
      break
    else if contains -- "$words[2] $word" $__tacho_with_value
      set skip 1
    end
    set before (math $before + 1)
  end
  complete -C (string join ' ' -- (string escape -- $words[(math $before + 1)..]) (commandline -ct))
end
function __tacho_events
  set -l words (commandline -opc)
  set -l word (string replace -r '^--[a-z-]*=' '' -- (commandline -ct))
  set -l last (string replace -r '^.*[,{]' '' -- $word)
  set -l before (string replace -r '[^,{]*$' '' -- $word)
  set -l pmu
  for i in (seq 3 (count $words))
    test $words[$i] = --pmu; and test $i -lt (count $words); and set pmu --pmu $words[(math $i + 1)]
  end
  $words[1] list $pmu "$last*" 2>/dev/null | while read -l name rest
    test -n "$name"; or break
    echo $before$name
  end
end
)FISH";

// A description is data: no quote or backslash in it may end the quotes.
std::string quoted_for_fish(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return quoted + "'";
}

std::string offers_of(const CompletedOption& option) {
  switch (option.offered) {
    case Offered::words:
      return " -x -a '" + fmt::format("{}", fmt::join(option.words, " ")) + "'";
    case Offered::words_or_files:
      return " -r -F -a '" + fmt::format("{}", fmt::join(option.words, " ")) + "'";
    case Offered::files:
      return " -r -F";
    case Offered::directories:
      return " -x -a '(__fish_complete_directories (commandline -ct))'";
    case Offered::events:
      return " -x -a '(__tacho_events)'";
    case Offered::processes:
      return " -x -a '(__fish_complete_pids)'";
    case Offered::nothing:
      break;
  }
  return " -x";
}

std::string line_of(const std::string& subcommand, const CompletedOption& option) {
  std::string line = fmt::format("complete -c tacho -n '__tacho_is {}'", subcommand);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes_value || option.names.empty()) {
    const std::string offers = offers_of(option);  // begins with -x or -r: there is a value
    line +=
        option.names.empty() ? (offers.starts_with(" -x") ? " -f" : "") + offers.substr(3) : offers;
  }
  return line + " -d " + quoted_for_fish(option.description) + '\n';
}

}  // namespace

std::string fish_completion(const std::vector<CompletedSubcommand>& subcommands) {
  std::string launching, with_value, lines;
  for (const CompletedSubcommand& each : subcommands) {
    if (each.takes_command) {
      launching += ' ' + each.name;
      lines += fmt::format("complete -c tacho -n '__tacho_is {}' -a '(__fish_complete_command)'\n",
                           each.name);
    }
    lines += fmt::format("complete -c tacho -n '__tacho_is subcommand' -a {} -d {}\n", each.name,
                         quoted_for_fish(each.description));
    for (const CompletedOption& option : each.options) {
      lines += line_of(each.name, option);
      for (const std::string& name : option.names)
        if (option.takes_value) with_value += fmt::format(" '{} {}'", each.name, name);
    }
    for (const CompletedOption& argument : each.arguments)
      if (argument.offered != Offered::nothing) lines += line_of(each.name, argument);
  }
  return fmt::format(
      "{}set -g __tacho_launching{}\nset -g __tacho_with_value{}\n{}"
      "complete -c tacho -n '__tacho_is command' -a '(__tacho_command)'\n",
      kFishHead, launching, with_value, lines);
}

}  // namespace tacho

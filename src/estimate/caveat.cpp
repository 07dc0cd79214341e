#include "estimate/caveat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tacho {
namespace {

struct Wording {
  Caveat::Kind kind;
  std::string_view text;  // {} is replaced by the events
};

constexpr std::array kWordings{
    Wording{Caveat::Kind::phases,
            "the rate of {} changed during the run: an estimate of it is a mean over unlike "
            "phases (--series FILE keeps every period, to look at them one by one)"},
    Wording{Caveat::Kind::bursts,
            "a few periods hold most of the count of {}: an estimate from so few periods may be "
            "further off than its interval says, and so may those of other events that changed "
            "at that time (run longer, or ask for fewer events)"},
    Wording{Caveat::Kind::none_seen,
            "{}: none seen while counted; the interval is a bound for events that come singly, but "
            "bursts may have been missed (ask for fewer events, so they are counted all the time)"},
    Wording{
        Caveat::Kind::none_seen_in_bursts,
        "{}: none seen while counted, but other events came in bursts, and it may have come with "
        "them unseen: no bound (ask for fewer events, so they are counted all the time)"},
    Wording{Caveat::Kind::too_few,
            "too few periods for an interval of {} (run longer, or ask for fewer events)"},
    Wording{Caveat::Kind::shared_always,
            "for part of the run there was no counter for {}: the count is scaled by "
            "time, with no interval (stop other users of the PMU, or ask for fewer events)"},
    Wording{Caveat::Kind::shared_turns,
            "for part of their turns there was no counter for {}: these were left out "
            "(stop other users of the PMU, or use a smaller --counters)"},
    Wording{Caveat::Kind::order,
            "neighbouring runs are alike in {}: the machine or the program changed slowly during "
            "these runs, so the mean of later runs may lie outside of the interval (use a larger "
            "-r or a quieter machine, and let programs that you compare run in turns)"},
};

}  // namespace

std::string listed(std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::vector<std::string> in_words(std::span<const Caveat> caveats) {
  std::vector<std::string> warnings;
  for (const Wording& wording : kWordings) {
    std::vector<std::string> events;
    for (const Caveat& caveat : caveats) {
      if (caveat.kind == wording.kind && std::ranges::find(events, caveat.event) == events.end())
        events.push_back(caveat.event);
    }
    if (!events.empty())
      warnings.push_back(fmt::format(fmt::runtime(wording.text), listed(events)));
  }
  return warnings;
}

}  // namespace tacho

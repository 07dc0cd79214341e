// The warnings about estimates, as values, so the warnings of repeated runs can be merged before
// they become text.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tacho {

struct Caveat {
  enum class Kind {
    phases,               // the rate changed during the run
    bursts,               // few periods have most of the count
    none_seen,            // the count is 0 in every turn
    none_seen_in_bursts,  // the same, and other events came in bursts
    too_few,              // too few periods for an interval
    shared_always,        // an event counted all the time had no counter for some of it
    shared_turns,         // an event had no counter for a part of its turns
    order,                // repeated runs: neighbours are alike in this figure, or it drifts
  };
  Kind kind;
  std::string event;
  bool operator==(const Caveat&) const = default;
};

// Returns one sentence a kind. It names the events in the order of the caveats.
std::vector<std::string> in_words(std::span<const Caveat> caveats);

// "a", "a and b", "a, b and c".
std::string listed(std::span<const std::string> names);

}  // namespace tacho

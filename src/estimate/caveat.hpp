// What a summary has to warn of, as values: so that repeats can join theirs before words are made.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tacho {

struct Caveat {
  enum class Kind {
    phases,         // the rate changed during the run
    bursts,         // few periods hold most of the count
    none_seen,      // no count in any turn
    too_few,        // too few periods for an interval
    shared_always,  // no counter part of the time: others used the PMU
    shared_turns,   // the same during turns
  };
  Kind kind;
  std::string event;
  bool operator==(const Caveat&) const = default;
};

// One sentence a kind, naming the events it touches, in the order found.
std::vector<std::string> in_words(std::span<const Caveat> caveats);

// "a", "a and b", "a, b and c".
std::string listed(std::span<const std::string> names);

}  // namespace tacho

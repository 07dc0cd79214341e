// What makes the call chains of a recording doubtful: chains that were cut, and code that keeps no
// frame pointers although its chains follow them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "locate/resolver.hpp"
#include "perfdata/record.hpp"
#include "profile/profile.hpp"

namespace tacho {

// Samples of one event with a call chain in user mode, and those of them whose chain is broken.
struct BrokenChains {
  std::uint64_t samples = 0, broken = 0;
};

// A chain in user mode is broken if it does not come from a function in which a thread begins
// (_start, main, clone, …), and has at most two functions or ends where no function is known.
BrokenChains broken_chains(const Profile&, Resolver&, std::size_t event);

// One warning each, about the chains of one event.
std::vector<std::string> chain_warnings(const Profile&, const perfdata::Description&, Resolver&,
                                        std::size_t event);

}  // namespace tacho

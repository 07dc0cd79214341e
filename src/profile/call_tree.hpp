// The call chains of a profile as a tree of functions: a node is a function with all that led to
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "locate/resolver.hpp"
#include "profile/profile.hpp"
#include "profile/report.hpp"
#include "stats/share.hpp"

namespace tacho {

struct CallTreeRow {
  std::string module, function;  // no function: its name is not known
  std::size_t depth = 0;         // number of its callers
  std::size_t parent = 0;        // index of its caller's row; its own index if it has none
  SampleCount total;             // samples in which it was called in this way
  SampleCount self;              // those of them that fell into itself
  double share = 0;              // of all samples of the event
  ShareInterval ci95;
  double self_share = 0;
};

struct CallTree {
  std::string event;
  SampleCount total;              // samples of the event
  std::vector<CallTreeRow> rows;  // a caller before what it called, the hottest branch first
  std::size_t left_out = 0;       // nodes
  bool has_lengths = false;       // samples are times of different lengths, and counts are ns
};

// Which nodes are shown: those with at least this share, and of them the `limit` hottest (0: all).
struct TreeLimits {
  double least_share = 0;
  std::size_t limit = 0;
};

// Error: the recording has no call chains.
Result<CallTree> call_tree(const Profile&, Resolver&, std::size_t event, std::string_view name,
                           const TreeLimits&);

std::string call_tree_text(const CallTree&, const TextStyle&);
std::string call_tree_json(const CallTree&, std::string_view version);

}  // namespace tacho

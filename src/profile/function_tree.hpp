// The call chains of a profile as a tree of functions: several places of one function are one node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "locate/resolver.hpp"
#include "locate/sample_count.hpp"
#include "profile/profile.hpp"

namespace tacho {

struct FunctionNode {
  std::uint32_t parent = kNoParent;  // has a smaller index
  FunctionId function = 0;
  SampleCount self, total;
  double changes = 0;  // of successive samples that have it in their chains: see Profile::changes
};

struct FunctionTree {
  std::vector<FunctionNode> nodes;
  std::vector<std::uint32_t> node_of;  // by node of the profile

  // The nodes from the outermost functions inwards: a caller before what it called, and of what one
  // function called the most events first. Nodes without a sample are left out.
  struct Visit {
    std::uint32_t node = 0;
    std::uint32_t depth = 0;  // number of its callers
  };
  std::vector<Visit> in_order() const;
};

// The tree of one event.
FunctionTree function_tree(const Profile&, Resolver&, std::size_t event);

}  // namespace tacho

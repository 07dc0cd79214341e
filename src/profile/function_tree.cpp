#include "profile/function_tree.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/hash_seed.hpp"
#include "locate/numbered_values.hpp"

namespace tacho {
namespace {

struct Mix {
  std::uint64_t operator()(const CallNode& node) const { return hashed(node.parent, node.cell); }
};

void add_changes(FunctionTree& tree, const Profile& profile, std::size_t event) {
  const std::vector<double> changes = profile.changes_of_each(
      event,
      [&](std::uint32_t node, std::vector<std::size_t>& found) {
        for (std::uint32_t at = tree.node_of[node]; at != kNoParent; at = tree.nodes[at].parent)
          found.push_back(at);
      },
      tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) tree.nodes[i].changes = changes[i];
}

}  // namespace

FunctionTree function_tree(const Profile& profile, Resolver& resolver, std::size_t event) {
  FunctionTree tree;
  std::vector<FunctionId> functions;  // by cell
  for (const CodePlace& place : profile.cells()) functions.push_back(resolver.function_of(place));
  NumberedValues<CallNode, Mix> numbers;  // a cell is a function here
  tree.nodes.reserve(profile.nodes().size());
  tree.node_of.reserve(profile.nodes().size());
  for (const CallNode& node : profile.nodes()) {
    const std::uint32_t parent = node.parent == kNoParent ? kNoParent : tree.node_of[node.parent];
    const FunctionId function = functions[node.cell];
    const std::uint32_t number = numbers.number({parent, function});
    if (number == tree.nodes.size())
      tree.nodes.push_back({.parent = parent, .function = function, .self = {}, .total = {}});
    tree.node_of.push_back(number);
  }
  const SampleCounts& counts = profile.node_counts();
  for (const std::uint32_t number : counts.by_event())
    if (const SampleCounts::Entry& each = counts.entries()[number]; each.event == event)
      tree.nodes[tree.node_of[each.place]].self += each.count;
  for (FunctionNode& each : tree.nodes) each.total = each.self;
  for (std::size_t i = tree.nodes.size(); i-- > 0;)
    if (tree.nodes[i].parent != kNoParent)
      tree.nodes[tree.nodes[i].parent].total += tree.nodes[i].total;
  add_changes(tree, profile, event);
  return tree;
}

// Depth first. Call chains can be deep, so this is not recursive.
std::vector<FunctionTree::Visit> FunctionTree::in_order() const {
  constexpr std::size_t kOutermost = 0;  // the others follow, each behind its caller's number + 1
  const auto group = [&](const FunctionNode& node) {
    return node.parent == kNoParent ? kOutermost : node.parent + std::size_t{1};
  };
  std::vector<std::uint32_t> ends(nodes.size() + 2);  // by group: first where it begins
  for (const FunctionNode& node : nodes)
    if (node.total.samples > 0) ++ends[group(node) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint32_t> called(ends.back());
  for (std::uint32_t i = static_cast<std::uint32_t>(nodes.size()); i-- > 0;)
    if (nodes[i].total.samples > 0) called[ends[group(nodes[i])]++] = i;
  std::vector<Visit> made, waiting;
  const auto wait = [&](std::size_t caller, std::uint32_t depth) {
    const std::size_t begin = caller == kOutermost ? 0 : ends[caller - 1];
    const auto of_caller = std::span(called).subspan(begin, ends[caller] - begin);
    // Those with the fewest events first: the last one that waits is the next one that is visited.
    std::ranges::stable_sort(of_caller, {}, [&](std::uint32_t i) { return nodes[i].total.sum; });
    for (const std::uint32_t node : of_caller) waiting.push_back({node, depth});
  };
  wait(kOutermost, 0);
  while (!waiting.empty()) {
    const Visit next = waiting.back();
    waiting.pop_back();
    made.push_back(next);
    wait(next.node + std::size_t{1}, next.depth + 1);
  }
  return made;
}

}  // namespace tacho

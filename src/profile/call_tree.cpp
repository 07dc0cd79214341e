#include "profile/call_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "profile/function_tree.hpp"

namespace tacho {
namespace {

// The hottest nodes. A caller has at least as many events as what it called, and comes before it.
// So with each node its callers are chosen.
std::vector<bool> chosen_nodes(const std::vector<FunctionNode>& tree, std::uint64_t all,
                               const TreeLimits& limits) {
  std::vector<std::size_t> order(tree.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return tree[i].total.sum; });
  std::vector<bool> chosen(tree.size());
  std::size_t count = 0;
  for (const std::size_t i : order) {
    const auto sum = static_cast<double>(tree[i].total.sum);
    if (tree[i].total.samples == 0 || sum < limits.least_share * static_cast<double>(all)) break;
    if (limits.limit > 0 && count++ == limits.limit) break;
    chosen[i] = true;
  }
  return chosen;
}

CallTreeRow row_of(const FunctionNode& node, const Profile& profile, const Resolver& resolver,
                   std::size_t event) {
  const SampleCount all = profile.total(event);
  const auto share = [&](const SampleCount& part) {
    return all.sum > 0 ? static_cast<double>(part.sum) / static_cast<double>(all.sum) : 0;
  };
  const FunctionInfo& info = resolver.function(node.function);
  CallTreeRow row;
  row.module = resolver.module_name(info.module);
  row.function = info.brief;
  row.total = node.total;
  row.self = node.self;
  row.share = share(node.total);
  row.ci95 = profile.share95(event, node.total, all, node.changes);
  row.self_share = share(node.self);
  return row;
}

}  // namespace

Result<CallTree> call_tree(const Profile& profile, Resolver& resolver, std::size_t event,
                           std::string_view name, const TreeLimits& limits) {
  if (!profile.has_chains())
    return failure("the recording has no call chains: who called whom is not known",
                   "record with -g");
  const FunctionTree tree = function_tree(profile, resolver, event);
  CallTree made{.event = std::string(name), .total = profile.total(event), .rows = {}};
  const std::vector<bool> chosen = chosen_nodes(tree.nodes, made.total.sum, limits);
  std::vector<std::size_t> above;  // by depth: the row of the caller
  for (const auto& [node, depth] : tree.in_order()) {
    if (!chosen[node]) {
      ++made.left_out;
      continue;
    }
    above.resize(depth);
    CallTreeRow& row = made.rows.emplace_back(row_of(tree.nodes[node], profile, resolver, event));
    row.depth = depth;
    row.parent = depth == 0 ? made.rows.size() - 1 : above.back();
    above.push_back(made.rows.size() - 1);
  }
  return made;
}

}  // namespace tacho

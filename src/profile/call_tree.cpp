#include "profile/call_tree.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tacho {
namespace {

struct TreeNode {
  std::uint32_t parent = kNoParent;  // has a smaller index
  FunctionId function = 0;
  SampleCount self, total;
  double changes = 0;  // of successive samples that have it in their chains: see Profile::changes
};

// Sets the changes of all nodes. `node_of` is the node of each node of the profile.
void add_changes(std::vector<TreeNode>& tree, const Profile& profile, std::size_t event,
                 const std::vector<std::uint32_t>& node_of) {
  const std::vector<double> changes = profile.changes_of_each(
      event,
      [&](std::uint32_t node, std::vector<std::size_t>& found) {
        for (std::uint32_t at = node_of[node]; at != kNoParent; at = tree[at].parent)
          found.push_back(at);
      },
      tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) tree[i].changes = changes[i];
}

// Puts the nodes of a profile together that have the same functions on the way to them.
std::vector<TreeNode> by_function(const Profile& profile, Resolver& resolver, std::size_t event) {
  std::vector<TreeNode> tree;
  std::map<std::pair<std::uint32_t, FunctionId>, std::uint32_t> index;
  std::vector<std::uint32_t> node_of;  // by node of the profile
  for (std::size_t i = 0; i < profile.nodes().size(); ++i) {
    const CallNode& node = profile.nodes()[i];
    const std::uint32_t parent = node.parent == kNoParent ? kNoParent : node_of[node.parent];
    const FunctionId function = resolver.function_of(profile.cells()[node.cell]);
    const auto [found, fresh] =
        index.try_emplace({parent, function}, static_cast<std::uint32_t>(tree.size()));
    if (fresh) tree.push_back({.parent = parent, .function = function, .self = {}, .total = {}});
    node_of.push_back(found->second);
    tree[found->second].self += profile.count_at_node(event, i);
  }
  for (TreeNode& each : tree) each.total = each.self;
  for (std::size_t i = tree.size(); i-- > 0;)
    if (tree[i].parent != kNoParent) tree[tree[i].parent].total += tree[i].total;
  add_changes(tree, profile, event, node_of);
  return tree;
}

// The hottest nodes. A caller has at least as many events as what it called, and comes before it.
// So with each node its callers are chosen.
std::vector<bool> chosen_nodes(const std::vector<TreeNode>& tree, std::uint64_t all,
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

class RowWriter {
 public:
  RowWriter(const Profile& profile, const Resolver& resolver, std::size_t event,
            const std::vector<TreeNode>& tree, const std::vector<bool>& chosen)
      : profile_(profile), resolver_(resolver), event_(event), tree_(tree), children_(tree.size()) {
    for (std::uint32_t i = 0; i < tree.size(); ++i)
      if (chosen[i])
        (tree[i].parent == kNoParent ? roots_ : children_[tree[i].parent]).push_back(i);
    for (auto& each : children_) sort(each);
    sort(roots_);
  }

  // Depth first. Call chains can be deep, so this is not recursive.
  std::vector<CallTreeRow> rows() const {
    std::vector<CallTreeRow> made;
    struct Waiting {
      std::uint32_t node;
      std::size_t depth, parent;
    };
    std::vector<Waiting> waiting;
    const auto push = [&](const std::vector<std::uint32_t>& nodes, std::size_t depth,
                          std::size_t parent) {
      for (std::size_t i = nodes.size(); i-- > 0;) waiting.push_back({nodes[i], depth, parent});
    };
    push(roots_, 0, 0);
    while (!waiting.empty()) {
      const Waiting next = waiting.back();
      waiting.pop_back();
      const std::size_t row = made.size();
      made.push_back(row_of(tree_[next.node]));
      made.back().depth = next.depth;
      made.back().parent = next.depth == 0 ? row : next.parent;
      push(children_[next.node], next.depth + 1, row);
    }
    return made;
  }

 private:
  void sort(std::vector<std::uint32_t>& nodes) const {
    std::ranges::stable_sort(nodes, std::ranges::greater(),
                             [&](std::uint32_t i) { return tree_[i].total.sum; });
  }

  CallTreeRow row_of(const TreeNode& node) const {
    const SampleCount all = profile_.total(event_);
    const auto share = [&](const SampleCount& part) {
      return all.sum > 0 ? static_cast<double>(part.sum) / static_cast<double>(all.sum) : 0;
    };
    const FunctionInfo& info = resolver_.function(node.function);
    CallTreeRow row;
    row.module = resolver_.module_name(info.module);
    row.function = info.brief;
    row.total = node.total;
    row.self = node.self;
    row.share = share(node.total);
    row.ci95 = profile_.share95(event_, node.total, all, node.changes);
    row.self_share = share(node.self);
    return row;
  }

  const Profile& profile_;
  const Resolver& resolver_;
  std::size_t event_;
  const std::vector<TreeNode>& tree_;
  std::vector<std::vector<std::uint32_t>> children_;  // chosen ones, the hottest first
  std::vector<std::uint32_t> roots_;
};

}  // namespace

Result<CallTree> call_tree(const Profile& profile, Resolver& resolver, std::size_t event,
                           std::string_view name, const TreeLimits& limits) {
  if (!profile.has_chains())
    return failure("the recording has no call chains: who called whom is not known",
                   "record with -g");
  const std::vector<TreeNode> tree = by_function(profile, resolver, event);
  CallTree made{std::string(name), profile.total(event), {}, 0};
  const std::vector<bool> chosen = chosen_nodes(tree, made.total.sum, limits);
  made.rows = RowWriter(profile, resolver, event, tree, chosen).rows();
  const auto sampled =
      std::ranges::count_if(tree, [](const TreeNode& each) { return each.total.samples > 0; });
  made.left_out = static_cast<std::size_t>(sampled) - made.rows.size();
  return made;
}

}  // namespace tacho

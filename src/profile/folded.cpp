// Writes call chains as lines "outermost;…;innermost count". The count is the number of events that
// the samples stand for.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "base/hash_seed.hpp"
#include "base/text_layout.hpp"
#include "locate/numbered_values.hpp"
#include "profile/call_stacks.hpp"
#include "profile/report.hpp"

namespace tacho {
namespace {

// The call tree by names: several places of one function are one node. Each line repeats the names
// of all callers. So the lines can take a thousand times the memory of the tree, and are made one
// by one.
class FoldedTree {
 public:
  explicit FoldedTree(const ProfileExport& in) {
    const CallStacks stacks(in);
    const std::vector<std::uint32_t> name_of = number(stacks.names());
    std::vector<std::uint32_t> folded;  // by node of the profile
    for (const CallNode& node : in.profile.nodes()) {
      const std::uint32_t parent = node.parent == kNoParent ? kNoParent : folded[node.parent];
      folded.push_back(nodes_.number({parent, name_of[stacks.function(node.cell)]}));
    }
    sums_.resize(nodes_.values().size());
    for (const std::size_t node : stacks.leaves(in.event)) {
      std::optional<std::uint64_t>& sum = sums_[folded[node]];
      sum = sum.value_or(0) + in.profile.count_at_node(in.event, node).sum;
    }
    for (std::uint32_t node = 0; node < sums_.size(); ++node) order_.push_back(node);
    std::ranges::sort(order_, {}, [this](std::uint32_t node) { return key(node); });
  }

  // A caller comes before what it called, and the names are in their order.
  void write(const TextSink& sink) const {
    constexpr std::size_t kPiece = std::size_t{64} << 10;  // bytes
    struct Visit {
      std::uint32_t node;
      std::size_t callers;  // bytes of the line
    };
    std::string line, piece;
    std::vector<Visit> left;
    const auto visit_called = [&](std::uint32_t caller) {
      for (const std::uint32_t node : called(caller) | std::views::reverse)
        left.push_back({node, line.size()});
    };
    visit_called(kNoParent);
    while (!left.empty()) {
      const Visit visit = left.back();
      left.pop_back();
      line.resize(visit.callers);
      if (!line.empty()) line += ';';
      line += names_[nodes_.values()[visit.node].cell];
      if (const auto& sum = sums_[visit.node]) piece += fmt::format("{} {}\n", line, *sum);
      if (piece.size() > kPiece) {
        sink(piece);
        piece.clear();
      }
      visit_called(visit.node);
    }
    sink(piece);
  }

 private:
  struct Mix {
    std::uint64_t operator()(const CallNode& node) const { return hashed(node.parent, node.cell); }
  };

  // Takes the names in their order, each once. Returns the number of each.
  std::vector<std::uint32_t> number(const std::vector<std::string>& names) {
    std::map<std::string, std::vector<std::size_t>> sorted;
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string name = printable(names[i], 1000);
      // A semicolon separates frames, so a name cannot contain one.
      for (char& c : name)
        if (c == ';') c = ':';
      sorted[std::move(name)].push_back(i);
    }
    std::vector<std::uint32_t> numbers(names.size());
    for (auto& [name, places] : sorted) {
      for (const std::size_t place : places)
        numbers[place] = static_cast<std::uint32_t>(names_.size());
      names_.push_back(name);
    }
    return numbers;
  }

  std::pair<std::uint32_t, std::uint32_t> key(std::uint32_t node) const {
    return {nodes_.values()[node].parent, nodes_.values()[node].cell};
  }
  std::span<const std::uint32_t> called(std::uint32_t caller) const {
    return std::ranges::equal_range(order_, caller, {},
                                    [this](std::uint32_t node) { return key(node).first; });
  }

  std::vector<std::string> names_;
  NumberedValues<CallNode, Mix> nodes_;             // a cell is the number of a name
  std::vector<std::optional<std::uint64_t>> sums_;  // by node; none: no chain ends there
  std::vector<std::uint32_t> order_;                // nodes by caller, then by name
};

}  // namespace

TextWriter profile_folded(const ProfileExport& in) {
  return
      [tree = std::make_shared<const FoldedTree>(in)](const TextSink& sink) { tree->write(sink); };
}

}  // namespace tacho

#include "symbols/scope_tree.hpp"

#include <dwarf.h>

#include <algorithm>

namespace tacho::symbols {
namespace {

constexpr int kDeepest = 64;  // levels of nested scopes; deeper ones are ignored

bool has_functions(std::uint64_t tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
         tag == DW_TAG_class_type;
}

bool has_inlined_functions(std::uint64_t tag) {
  return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
         tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

}  // namespace

// Returns false if the budget is used up.
bool ScopeTree::add(const Dwarf_Die& die, std::size_t parent, const RangesOf& ranges_of,
                    DwarfBudget& budget) {
  if (!budget.take_scope()) return false;
  const std::size_t scope = scopes_.size();
  scopes_.push_back({die, parent});
  bool good = true;
  Dwarf_Die copy = die;
  ranges_of(copy, [&](std::uint64_t low, std::uint64_t high) {
    good = budget.take_range();
    if (good && low < high) ranges_.push_back({low, high, scope});
    return good;
  });
  return good;
}

void ScopeTree::sort() {
  // Outer scopes come before the inner ones that begin at the same address.
  std::ranges::stable_sort(ranges_, {}, &ScopeRange::low);
  nested_ = NestedRanges(ranges_, &ScopeRange::low, &ScopeRange::high);
}

ScopeTree ScopeTree::functions_of(const WalkedUnit& unit, const RangesOf& ranges_of,
                                  DwarfBudget& budget) {
  ScopeTree made;
  DieWalk walk(unit.bytes, unit.offset_of(unit.die));
  bool good = walk.next();
  while (good && walk.next()) {
    if (walk.tag() == DW_TAG_subprogram)
      good = made.add(unit.die_at(walk.at()), NestedRanges::kNone, ranges_of, budget);
    if (!has_functions(walk.tag()) || walk.depth() > kDeepest) walk.skip_children();
  }
  if (!good || walk.is_damaged()) budget.leave_out();
  made.sort();
  return made;
}

ScopeTree ScopeTree::inlined_into(const Dwarf_Die& function, const WalkedUnit& unit,
                                  const RangesOf& ranges_of, DwarfBudget& budget) {
  ScopeTree made;
  DieWalk walk(unit.bytes, unit.offset_of(function));
  bool good = walk.next();
  // The inlined scope that the next entry is in, by the depth of the entry.
  std::vector<std::size_t> within(2, NestedRanges::kNone);
  while (good && walk.next()) {
    const auto depth = static_cast<std::size_t>(walk.depth());
    std::size_t scope = within[depth];
    const std::uint64_t tag = walk.tag();
    if (tag == DW_TAG_inlined_subroutine) {
      const std::size_t index = made.scopes_.size();
      good = made.add(unit.die_at(walk.at()), scope, ranges_of, budget);
      scope = index;
    }
    within.resize(depth + 1);
    within.push_back(scope);
    if (!has_inlined_functions(tag) || depth > kDeepest) walk.skip_children();
  }
  if (!good || walk.is_damaged()) budget.leave_out();
  made.sort();
  return made;
}

}  // namespace tacho::symbols

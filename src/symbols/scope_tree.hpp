// The scopes of code in a DWARF unit, by address: its functions, or the functions that were inlined
// into one of them.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "symbols/dwarf_budget.hpp"
#include "symbols/nested_ranges.hpp"
#include "symbols/unit_bytes.hpp"

namespace tacho::symbols {

struct ScopeRange {
  std::uint64_t low = 0, high = 0;  // high is one past the last address
  std::size_t scope = 0;
};

// Calls `take` for each range of addresses of an entry.
using RangesOf =
    std::function<void(Dwarf_Die&, const std::function<bool(std::uint64_t, std::uint64_t)>& take)>;

class ScopeTree {
 public:
  struct Scope {
    Dwarf_Die die{};
    std::size_t parent = NestedRanges::kNone;  // the scope into which it was inlined
  };

  // The functions of a unit.
  static ScopeTree functions_of(const WalkedUnit&, const RangesOf&, DwarfBudget&);
  // The functions that were inlined into the function.
  static ScopeTree inlined_into(const Dwarf_Die& function, const WalkedUnit&, const RangesOf&,
                                DwarfBudget&);

  // The innermost scope at an address; NestedRanges::kNone if there is none.
  std::size_t at(std::uint64_t address) const {
    const std::size_t found = nested_.at(address);
    return found == NestedRanges::kNone ? found : ranges_[found].scope;
  }
  const Scope& scope(std::size_t index) const { return scopes_[index]; }

 private:
  bool add(const Dwarf_Die&, std::size_t parent, const RangesOf&, DwarfBudget&);
  void sort();

  std::vector<Scope> scopes_;
  std::vector<ScopeRange> ranges_;
  NestedRanges nested_;
};

}  // namespace tacho::symbols

#include "profile/call_stacks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tacho {
namespace {

// Modules without a file have brackets already: "[unknown]", "[vdso]".
std::string in_brackets(const std::string& module) {
  return module.starts_with('[') ? module : fmt::format("[{}]", module);
}

}  // namespace

CallStacks::CallStacks(const ProfileExport& in) : profile_(in.profile) {
  for (const CodePlace& place : in.profile.cells()) {
    const FunctionId id = in.resolver.function_of(place);
    functions_.push_back(id);
    if (id >= names_.size()) names_.resize(id + 1);
  }
  // Brief names are known only now: an overloaded function's name includes its parameters.
  for (const FunctionId id : functions_) {
    if (!names_[id].empty()) continue;
    const FunctionInfo& info = in.resolver.function(id);
    names_[id] = info.known() ? info.brief : in_brackets(in.resolver.module_name(info.module));
  }
  const SampleCounts& counts = profile_.node_counts();
  leaves_.resize(profile_.events());
  for (const std::uint32_t number : counts.by_event()) {
    const SampleCounts::Entry& each = counts.entries()[number];
    leaves_[each.event].push_back(each.place);
  }
}

const std::vector<std::size_t>& CallStacks::leaves(std::size_t event) const {
  static const std::vector<std::size_t> none;
  return event < leaves_.size() ? leaves_[event] : none;
}

std::vector<std::uint32_t> CallStacks::path(std::size_t node) const {
  std::vector<std::uint32_t> cells;
  for (std::size_t at = node; at != kNoParent; at = profile_.nodes()[at].parent)
    cells.push_back(profile_.nodes()[at].cell);
  std::ranges::reverse(cells);
  return cells;
}

}  // namespace tacho

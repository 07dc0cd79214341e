#include "profile/call_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "symbols/demangle.hpp"

namespace tacho {
namespace {

constexpr FunctionId kNoNeighbour = std::numeric_limits<FunctionId>::max();
constexpr FunctionId kCut = kNoNeighbour - 1;  // there is a caller, but the chain was cut

// For each function, whether the user means it by this name. Adds its names to the view.
std::vector<bool> find_meant(const std::string& name, const Resolver& resolver, CallView& view) {
  std::vector<bool> meant(resolver.function_count());
  std::set<std::string> modules;
  std::set<std::string> names;
  for (FunctionId id = 0; id < meant.size(); ++id) {
    const FunctionInfo& info = resolver.function(id);
    meant[id] = info.known() && symbols::is_meant(info.name, name);
    if (!meant[id]) continue;
    modules.insert(resolver.module_name(info.module));
    names.insert(info.brief);
  }
  view.module = fmt::format("{}", fmt::join(modules, ", "));
  view.function = fmt::format("{}", fmt::join(names, ", "));
  return meant;
}

// Samples by the function next to the innermost call of a meant function; kNoNeighbour if there is
// none.
std::map<FunctionId, SampleCount> count_neighbours(const Profile& profile, std::size_t event,
                                                   std::span<const FunctionId> function_of,
                                                   const std::vector<bool>& meant, CallSide side) {
  std::map<FunctionId, SampleCount> counts;
  const std::vector<CallNode>& nodes = profile.nodes();
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const SampleCount count = profile.count_at_node(event, node);
    if (count.samples == 0) continue;
    FunctionId inner = kNoNeighbour;
    for (std::size_t at = node; at != kNoParent; at = nodes[at].parent) {
      const FunctionId here = function_of[nodes[at].cell];
      if (meant[here]) {
        const std::uint32_t parent = nodes[at].parent;
        const FunctionId outer =
            parent == kNoParent ? kNoNeighbour : function_of[nodes[parent].cell];
        SampleCount whole = count;
        if (side == CallSide::callers && outer == kNoNeighbour) {
          const SampleCount cut = profile.cut_at_node(event, node);
          whole -= cut;
          if (cut.samples > 0) counts[kCut] += cut;
        }
        if (whole.samples > 0) counts[side == CallSide::callers ? outer : inner] += whole;
        break;
      }
      inner = here;
    }
  }
  return counts;
}

}  // namespace

Result<CallView> call_view(const Profile& profile, Resolver& resolver, std::size_t event,
                           const std::string& function, CallSide side) {
  if (!profile.has_chains())
    return failure("the recording has no call chains: who called whom is not known",
                   "record with -g");
  std::vector<FunctionId> function_of;
  for (const CodePlace& place : profile.cells()) function_of.push_back(resolver.function_of(place));
  CallView view;
  view.side = side;
  const std::vector<bool> meant = find_meant(function, resolver, view);
  if (std::ranges::find(meant, true) == meant.end())
    return failure(fmt::format("no sample has a function '{}' in its call chain", function),
                   "'tacho report' shows the functions there are");
  const auto counts = count_neighbours(profile, event, function_of, meant, side);
  for (const auto& [id, count] : counts) view.total += count;
  const auto whole = static_cast<double>(view.total.sum);
  for (const auto& [id, count] : counts) {
    CallShare row;
    row.cut = id == kCut;
    if (id != kNoNeighbour && id != kCut) {
      row.module = resolver.module_name(resolver.function(id).module);
      row.function = resolver.function(id).brief;
    }
    row.count = count;
    row.share = whole > 0 ? static_cast<double>(count.sum) / whole : 0;
    row.ci95 = profile.share95(event, count, view.total);
    view.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(view.rows, std::ranges::greater(), &CallShare::share);
  return view;
}

}  // namespace tacho

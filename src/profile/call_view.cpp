// Callers and callees of one function, from the tree of calls.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "profile/summary.hpp"
#include "symbols/demangle.hpp"

namespace tacho {
namespace {

constexpr FunctionId kNone = std::numeric_limits<FunctionId>::max();

}  // namespace

Result<CallView> call_view(const Profile& profile, Resolver& resolver, std::size_t event,
                           const std::string& function, bool callers) {
  if (!profile.has_chains())
    return failure("the recording has no call chains: who called whom is not known",
                   "record with -g");
  std::vector<FunctionId> function_of;
  for (const CodePlace& place : profile.cells()) function_of.push_back(resolver.function_of(place));
  std::vector<bool> meant(resolver.function_count());
  std::set<std::string> modules;
  std::set<std::string> names;
  for (FunctionId id = 0; id < meant.size(); ++id) {
    meant[id] =
        resolver.function(id).known() && symbols::is_meant(resolver.function(id).name, function);
    if (!meant[id]) continue;
    modules.insert(resolver.module_name(resolver.function(id).module));
    names.insert(resolver.function(id).brief);
  }
  if (names.empty())
    return failure(fmt::format("no sample has a function '{}' in its call chain", function),
                   "'tacho report' shows the functions there are");

  // Of overloads, all that are counted together.
  CallView view{fmt::format("{}", fmt::join(modules, ", ")),
                fmt::format("{}", fmt::join(names, ", ")),
                callers,
                {},
                {}};
  std::map<FunctionId, SampleCount> counts;
  const std::vector<CallNode>& nodes = profile.nodes();
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const SampleCount count = profile.count_at_node(event, node);
    if (count.samples == 0) continue;
    FunctionId inner = kNone;
    for (std::size_t at = node; at != kNoParent; at = nodes[at].parent) {
      const FunctionId here = function_of[nodes[at].cell];
      if (meant[here]) {
        const std::uint32_t parent = nodes[at].parent;
        const FunctionId outer = parent == kNoParent ? kNone : function_of[nodes[parent].cell];
        counts[callers ? outer : inner] += count;
        view.total += count;
        break;
      }
      inner = here;
    }
  }
  const auto whole = static_cast<double>(view.total.sum);
  for (const auto& [id, count] : counts) {
    CallShare row;
    if (id != kNone) {
      row.module = resolver.module_name(resolver.function(id).module);
      row.function = resolver.function(id).brief;
    }
    row.count = count;
    row.share = whole > 0 ? static_cast<double>(count.sum) / whole : 0;
    row.ci95 = wilson95(row.share, profile.worth(event, count, view.total));
    view.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(view.rows, std::ranges::greater(), &CallShare::share);
  return view;
}

}  // namespace tacho

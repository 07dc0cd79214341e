#include "profile/samples_in_time.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/hash_seed.hpp"

namespace tacho {
namespace {

// By node of the tree: itself, or its innermost caller with this share. An outermost function has
// only itself.
std::vector<std::uint32_t> kept_nodes(const FunctionTree& tree, double least) {
  std::vector<std::uint32_t> kept(tree.nodes.size());
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    const FunctionNode& node = tree.nodes[i];
    const bool is_kept = node.parent == kNoParent || static_cast<double>(node.total.sum) >= least;
    kept[i] = is_kept ? i : kept[node.parent];
  }
  return kept;
}

// A sample of the event, or a part of one, as its place in the result.
struct Placed {
  std::uint32_t slice = 0, thread = 0, node = 0;
  std::uint64_t samples = 1, period = 0;
};

// Puts the samples of a slice and a thread together that have the same node; nothing if these are
// more than `most`.
std::optional<std::vector<SliceCount>> counts_of(std::span<const Placed> samples,
                                                 const std::vector<std::uint32_t>& kept,
                                                 std::size_t most) {
  std::vector<SliceCount> counts;
  std::vector<std::size_t> latest(kept.size());  // by node: its latest count, if it has one
  std::size_t first = 0;                         // count of this slice and thread
  for (const Placed& each : samples) {
    if (!counts.empty() &&
        (counts.back().slice != each.slice || counts.back().thread != each.thread))
      first = counts.size();
    const std::uint32_t node = kept[each.node];
    const std::size_t at = latest[node];
    if (at < first || at >= counts.size() || counts[at].node != node) {
      if (counts.size() == most) return std::nullopt;
      latest[node] = counts.size();
      counts.push_back({.slice = each.slice, .thread = each.thread, .node = node});
    }
    SliceCount& count = counts[latest[node]];
    count.samples += each.samples;
    count.sum += each.period;
  }
  return counts;
}

}  // namespace

TimeGrid grid_of_samples(const Profile& profile) {
  constexpr std::uint32_t kSlices = 1000;  // a timeline has about as many columns of pixels
  const std::vector<TimedSample>& samples = profile.samples();
  if (samples.empty()) return {};
  return TimeGrid::of(samples.front().time_ns, samples.back().time_ns + 1, kSlices);
}

SamplesInTime samples_in_time(const Profile& profile, const FunctionTree& tree,
                              const std::vector<SampledEvent>& events, std::size_t event,
                              const TimeGrid& grid, std::size_t most) {
  SamplesInTime made;
  if (grid.slices == 0) return made;
  std::vector<bool> of_event(events.size()), lasts(events.size());
  of_event[event] = true;
  for (const std::size_t part : events[event].parts) of_event[part] = true;
  for (std::size_t i = 0; i < events.size(); ++i)
    lasts[i] = events[i].lengths && profile.is_exact(i);
  std::unordered_map<std::uint64_t, std::uint32_t, NumberHash> thread_of;
  std::vector<Placed> samples;
  samples.reserve(profile.samples().size());
  for (const TimedSample& each : profile.samples()) {
    const auto id = std::uint64_t{static_cast<std::uint32_t>(each.pid)} << 32 |
                    static_cast<std::uint32_t>(each.tid);
    const auto [found, fresh] =
        thread_of.try_emplace(id, static_cast<std::uint32_t>(made.threads.size()));
    if (fresh) made.threads.push_back({each.pid, each.tid});
    if (!of_event[each.event]) continue;  // the threads are those of all events
    const bool spread = lasts[each.event] && each.period > 0;
    samples.push_back({.slice = grid.slice_of(each.time_ns),
                       .thread = found->second,
                       .node = tree.node_of[each.node],
                       .samples = 1,
                       .period = spread ? 0 : each.period});
    if (!spread) continue;
    Placed part = samples.back();
    part.samples = 0;
    grid.each_slice(each.time_ns, each.time_ns + each.period,
                    [&](std::uint32_t slice, std::uint64_t ns) {
                      part.slice = slice;
                      part.period = ns;
                      samples.push_back(part);
                    });
  }
  std::ranges::stable_sort(samples, {},
                           [](const Placed& each) { return std::pair(each.slice, each.thread); });
  constexpr double kFirstShare = 1e-4, kStep = 3;
  const auto total = static_cast<double>(profile.total(event).sum);
  auto counts = counts_of(samples, kept_nodes(tree, 0), most);
  double least = kFirstShare;
  while (!counts && least <= 1) {
    counts = counts_of(samples, kept_nodes(tree, least * total), most);
    made.least_share = std::exchange(least, kStep * least);
  }
  if (!counts || counts->empty()) return made;
  made.counts = std::move(*counts);
  std::ranges::sort(made.counts, {}, [](const SliceCount& each) {  // so the page is smaller
    return std::tuple(each.slice, each.thread, each.node);
  });
  made.grid = grid;
  return made;
}

}  // namespace tacho

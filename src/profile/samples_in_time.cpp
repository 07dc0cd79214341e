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

constexpr std::uint32_t kSlices = 1000;  // a timeline has about as many columns of pixels

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

// A sample of the event, as its place in the result.
struct Placed {
  std::uint32_t slice = 0, thread = 0, node = 0;
  std::uint64_t period = 0;
};

// They are in the order of time.
void sort_each_slice_by_thread(std::span<Placed> samples) {
  for (auto begin = samples.begin(); begin != samples.end();) {
    const auto later = [&](const Placed& each) { return each.slice != begin->slice; };
    const auto end = std::find_if(begin, samples.end(), later);
    std::ranges::stable_sort(begin, end, {}, &Placed::thread);
    begin = end;
  }
}

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
    ++count.samples;
    count.sum += each.period;
  }
  return counts;
}

}  // namespace

SamplesInTime samples_in_time(const Profile& profile, const FunctionTree& tree, std::size_t event,
                              std::size_t most) {
  SamplesInTime made;
  if (profile.samples().empty()) return made;
  made.start_ns = profile.samples().front().time_ns;
  const std::uint64_t span_ns = profile.samples().back().time_ns - made.start_ns + 1;
  made.slice_ns = (span_ns + kSlices - 1) / kSlices;
  std::unordered_map<std::uint64_t, std::uint32_t, NumberHash> thread_of;
  std::vector<Placed> samples;
  samples.reserve(profile.samples().size());
  for (const TimedSample& each : profile.samples()) {
    const auto id = std::uint64_t{static_cast<std::uint32_t>(each.pid)} << 32 |
                    static_cast<std::uint32_t>(each.tid);
    const auto [found, fresh] =
        thread_of.try_emplace(id, static_cast<std::uint32_t>(made.threads.size()));
    if (fresh) made.threads.push_back({each.pid, each.tid});
    if (each.event != event) continue;  // the threads are those of all events
    samples.push_back({static_cast<std::uint32_t>((each.time_ns - made.start_ns) / made.slice_ns),
                       found->second, tree.node_of[each.node], each.period});
  }
  sort_each_slice_by_thread(samples);
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
  made.slices = static_cast<std::uint32_t>((span_ns + made.slice_ns - 1) / made.slice_ns);
  return made;
}

}  // namespace tacho

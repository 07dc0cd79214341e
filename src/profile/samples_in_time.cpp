#include "profile/samples_in_time.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
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

// The thread and the node of a sample as one number, and its period.
using Keyed = std::pair<std::uint64_t, std::uint64_t>;

// Puts the samples of a slice together that have the same thread and node.
void add_slice(std::uint32_t slice, std::span<Keyed> samples, std::vector<SliceCount>& counts) {
  std::ranges::sort(samples, {}, &Keyed::first);
  const std::size_t first = counts.size();
  std::uint64_t last = 0;
  for (const auto& [key, period] : samples) {
    if (counts.size() == first || key != last)
      counts.push_back({.slice = slice,
                        .thread = static_cast<std::uint32_t>(key >> 32),
                        .node = static_cast<std::uint32_t>(key)});
    last = key;
    ++counts.back().samples;
    counts.back().sum += period;
  }
}

// Nothing if there are more than `most`.
std::optional<std::vector<SliceCount>> counts_of(std::span<const Placed> samples,
                                                 const std::vector<std::uint32_t>& kept,
                                                 std::size_t most) {
  std::vector<SliceCount> counts;
  std::vector<Keyed> of_slice;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Placed& each = samples[i];
    of_slice.emplace_back(std::uint64_t{each.thread} << 32 | kept[each.node], each.period);
    if (i + 1 < samples.size() && samples[i + 1].slice == each.slice) continue;
    add_slice(each.slice, of_slice, counts);
    of_slice.clear();
    if (counts.size() > most) return std::nullopt;
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
  made.slices = static_cast<std::uint32_t>((span_ns + made.slice_ns - 1) / made.slice_ns);
  return made;
}

}  // namespace tacho

#include "latency/chase/again.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace tacho::chase {
namespace {

constexpr double kNearEdge = 1.4;  // times, either way

}  // namespace

std::vector<std::size_t> own_sizes(std::span<const SizeRun> runs, Pages pages, std::size_t most) {
  std::set<std::size_t> lines;
  for (const SizeRun& run : runs) {
    const LatencySample& sample = run.sample;
    const bool huge = sample.page_bytes > small_page_bytes();
    if (sample.layout == Layout::packed && sample.lines <= most && huge == (pages == Pages::huge))
      lines.insert(static_cast<std::size_t>(sample.lines));
  }
  return {lines.begin(), lines.end()};
}

std::vector<std::size_t> doubtful_translations(const LatencyInference& found) {
  const bool repeated = std::ranges::any_of(
      found.sizes, [](const SizeLatency& size) { return size.layout == Layout::repeated; });
  const std::size_t told_by_these = std::min<std::size_t>(found.tlb.size(), repeated ? 1 : 2);
  std::set<std::size_t> had;
  std::set<std::size_t> missing;
  std::set<std::size_t> doubtful;
  for (const SizeLatency& size : found.sizes) {
    if (size.layout != Layout::spread) continue;
    const auto pages = static_cast<std::size_t>(size.lines);
    (size.disturbed ? missing : had).insert(pages);
    for (const TlbTier& tier : std::span(found.tlb).first(told_by_these))
      if (static_cast<double>(pages) > tier.entries / kNearEdge &&
          static_cast<double>(pages) < tier.entries * kNearEdge)
        doubtful.insert(pages);
  }
  std::ranges::set_difference(missing, had, std::inserter(doubtful, doubtful.end()));
  return {doubtful.begin(), doubtful.end()};
}

}  // namespace tacho::chase

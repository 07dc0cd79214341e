#include "latency/chase/remeasure.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "latency/inference/rules.hpp"

namespace tacho::chase {

std::vector<std::size_t> own_cache_lists(std::span<const LatencySample> samples, Pages pages,
                                         std::size_t most) {
  std::set<std::size_t> lines;
  for (const LatencySample& sample : samples) {
    const bool huge = sample.page_bytes > small_page_bytes();
    if (sample.layout == Layout::packed && sample.lines <= most && huge == (pages == Pages::huge))
      lines.insert(static_cast<std::size_t>(sample.lines));
  }
  return {lines.begin(), lines.end()};
}

std::vector<std::size_t> doubtful_tlb_lists(const LatencyInference& found) {
  constexpr double kNear = kLatencyRules.survey.near_tlb_end;
  const bool has_repeated = std::ranges::any_of(
      found.sizes, [](const SizeLatency& size) { return size.layout == Layout::repeated; });
  const std::size_t shown = std::min<std::size_t>(found.tlb.size(), has_repeated ? 1 : 2);
  std::set<std::size_t> undisturbed;
  std::set<std::size_t> disturbed;
  std::set<std::size_t> doubtful;
  for (const SizeLatency& size : found.sizes) {
    if (size.layout != Layout::spread) continue;
    const auto pages = static_cast<std::size_t>(size.lines);
    (size.disturbed ? disturbed : undisturbed).insert(pages);
    for (const TlbTier& tier : std::span(found.tlb).first(shown))
      if (static_cast<double>(pages) > tier.entries / kNear &&
          static_cast<double>(pages) < tier.entries * kNear)
        doubtful.insert(pages);
  }
  std::ranges::set_difference(disturbed, undisturbed, std::inserter(doubtful, doubtful.end()));
  return {doubtful.begin(), doubtful.end()};
}

}  // namespace tacho::chase

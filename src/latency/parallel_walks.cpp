#include "latency/parallel_walks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/number.hpp"
#include "latency/chase/memory.hpp"
#include "latency/chase/parallel_chases.hpp"

namespace tacho {
namespace {

struct LevelList {
  std::string level;
  std::size_t bytes;
};

// One list for each level, which holds it with room to spare: half its capacity, or the largest
// list that was measured for a level without an end. If no levels were found, every size.
std::vector<LevelList> lists_of_levels(const LatencyReport& report) {
  std::uint64_t most = 0;
  for (const LatencySample& sample : report.samples)
    if (sample.layout == Layout::packed) most = std::max(most, sample.bytes);
  std::vector<LevelList> lists;
  if (report.inference.tiers.empty()) {
    for (const LatencySample& sample : report.samples)
      lists.push_back({"", static_cast<std::size_t>(sample.bytes)});
    std::ranges::sort(lists, {}, &LevelList::bytes);
    const auto twice = std::ranges::unique(lists, {}, &LevelList::bytes);
    lists.erase(twice.begin(), twice.end());
  }
  for (const Tier& tier : report.inference.tiers)
    lists.push_back({tier.name, tier.capacity ? static_cast<std::size_t>(tier.capacity_bytes / 2)
                                              : static_cast<std::size_t>(most)});
  return lists;
}

bool has_huge_pages(const LatencyReport& report) {
  return std::ranges::any_of(report.samples, [](const LatencySample& sample) {
    return sample.page_bytes > chase::small_page_bytes();
  });
}

}  // namespace

Result<void> measure_parallel_walks(const LatencyRequest& request, const chase::Stop& stop,
                                    const LatencyProgress& progress, LatencyReport& report) {
  const auto lists = lists_of_levels(report);
  if (lists.empty()) return {};
  const std::size_t largest = std::ranges::max(lists, {}, &LevelList::bytes).bytes;
  const std::size_t line = line_bytes_of(report);
  const auto pages = has_huge_pages(report) ? chase::Pages::huge : chase::Pages::small;
  const chase::Memory memory = TACHO_TRY(chase::Memory::obtain(largest, pages));
  chase::List list(memory.bytes(), {Layout::packed, line, memory.page_bytes()});
  for (const LevelList& each : lists) {
    list.resize(std::max<std::size_t>(each.bytes / line, 1));
    for (unsigned chases = 1; chases <= request.parallel; ++chases) {
      report.partial = report.partial || stop();
      if (report.partial) return {};
      progress(fmt::format("latency: {} at once through {} bytes", plural(chases, "chase", {}),
                           each.bytes));
      if (const auto ns = chase::parallel_chase_ns(list, chases, request.access, stop))
        report.parallel.push_back({each.level, list.lines() * line, chases, *ns});
    }
  }
  return {};
}

}  // namespace tacho

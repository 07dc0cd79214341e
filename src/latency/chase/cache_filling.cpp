#include "latency/chase/cache_filling.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>

#include "latency/chase/fill_level.hpp"
#include "latency/chase/line_groups.hpp"
#include "latency/chase/sampler.hpp"
#include "latency/inference/rules.hpp"

namespace tacho::chase {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const FillRules& kFill = kLatencyRules.fill;

// The mean of the faster half. With a clock that steps far it resolves parts of a step.
double mean_of_faster_half(std::vector<double>& ticks) {
  std::ranges::sort(ticks);
  const auto half = ticks.begin() + static_cast<std::ptrdiff_t>((ticks.size() + 1) / 2);
  return std::accumulate(ticks.begin(), half, 0.0) / static_cast<double>(half - ticks.begin());
}

// See GroupsToFill::revisit.
std::vector<double> revisit(LineGroups& pages, std::span<const std::size_t> tried,
                            const Kernel& kernel) {
  std::vector<Link*> at;
  for (const std::size_t page : tried) at.push_back(pages.cycle_of(page));
  std::vector<std::vector<double>> ticks(tried.size());
  std::vector<double> empty;
  std::vector<Timed> timed(pages.lines_each() / kBlock);
  for (std::size_t visit = 0; visit < kFill.settling + kFill.visits; ++visit) {
    kernel.walk(pages.begin(), pages.lines());
    for (std::size_t i = 0; i < tried.size(); ++i) {
      at[i] = kernel.blocks(at[i], 1, timed);
      if (visit < kFill.settling) continue;
      for (const Timed& each : timed) {
        ticks[i].push_back(each.loaded);
        empty.push_back(each.empty);
      }
    }
  }
  const double bias = mean_of_faster_half(empty);
  std::vector<double> taken;
  for (std::vector<double>& each : ticks) taken.push_back(mean_of_faster_half(each) - bias);
  return taken;
}

}  // namespace

std::vector<CacheFill> fill_cache(const CacheToFill& cache, const Stop& stop) {
  const std::size_t page = std::max(small_page_bytes(), kBlock * cache.line_bytes);
  const std::size_t each = kFill.choice * cache.expected_bytes / page * page;
  const std::size_t first = kFill.first * cache.before_bytes / page + 1;
  if (each < 2 * first * page) return {};
  const std::size_t times = std::min(kFill.fillings, cache.most_bytes / each);
  if (times == 0) return {};
  const auto memory = Memory::obtain(times * each, cache.pages);
  if (!memory) return {};
  const Kernel kernel = chase::kernel(cache.access, cache.timer);
  std::vector<CacheFill> fills;
  for (std::size_t i = 0; i < times && !stop(); ++i) {
    const std::span<std::byte> part = memory->bytes().subspan(i * each, each);
    const auto place = [&](std::size_t line) {
      return reinterpret_cast<Link*>(part.data() + line * cache.line_bytes);
    };
    LineGroups pages(page / cache.line_bytes, place);
    const GroupsToFill groups{each / page,
                              [&](auto tried) { return revisit(pages, tried, kernel); },
                              [&](std::size_t page_taken) { pages.join(page_taken); }};
    const auto deadline = Clock::now() + kFill.longest;
    const FilledLevel filled =
        fill_level(groups, first, [&] { return stop() || Clock::now() > deadline; });
    if (!filled.full) continue;
    fills.push_back(
        {.cache = cache.number,
         .bytes = static_cast<double>(filled.groups * page),
         .page_bytes = static_cast<double>(page),
         .hit_cycles = filled.hit_time * core_rate(cache.timer).cycles_per_tick / kBlock});
  }
  return fills;
}

}  // namespace tacho::chase

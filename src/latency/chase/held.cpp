#include "latency/chase/held.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>

#include "latency/chase/filling.hpp"
#include "latency/chase/pieces.hpp"
#include "latency/chase/sampler.hpp"

namespace tacho::chase {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFillings = 5;
constexpr std::chrono::milliseconds kLongFilling{1000};
constexpr std::size_t kAround = 3;  // times what it may hold: pages to choose from
constexpr std::size_t kBeyond = 3;  // times what the cache before holds: to begin with
// Visits until a set that takes any line when it needs room has found its lines' place, and those
// that are timed.
constexpr std::size_t kSettling = 4;
constexpr std::size_t kVisits = 8;

// The mean of the faster half: of a clock that steps far, it tells parts of a step.
double of_faster_half(std::vector<double>& ticks) {
  std::ranges::sort(ticks);
  const auto half = ticks.begin() + static_cast<std::ptrdiff_t>((ticks.size() + 1) / 2);
  return std::accumulate(ticks.begin(), half, 0.0) / static_cast<double>(half - ticks.begin());
}

// See Ground::revisit.
std::vector<double> revisit(Pieces& pieces, std::span<const std::size_t> tried,
                            const Kernel& kernel) {
  std::vector<Link*> at;
  for (const std::size_t piece : tried) at.push_back(pieces.loop(piece));
  std::vector<std::vector<double>> ticks(tried.size());
  std::vector<double> empty;
  std::vector<Timed> timed(pieces.lines_each() / kBlock);
  for (std::size_t visit = 0; visit < kSettling + kVisits; ++visit) {
    kernel.walk(pieces.begin(), pieces.lines());
    for (std::size_t i = 0; i < tried.size(); ++i) {
      at[i] = kernel.blocks(at[i], 1, timed);
      if (visit < kSettling) continue;
      for (const Timed& each : timed) {
        ticks[i].push_back(each.loaded);
        empty.push_back(each.empty);
      }
    }
  }
  const double bias = of_faster_half(empty);
  std::vector<double> taken;
  for (std::vector<double>& each : ticks) taken.push_back(of_faster_half(each) - bias);
  return taken;
}

}  // namespace

std::vector<HeldLines> fillings(const CacheToFill& cache, const Stop& stop) {
  const std::size_t page = std::max(small_page_bytes(), kBlock * cache.line_bytes);
  const std::size_t each = kAround * cache.about_bytes / page * page;
  const std::size_t given = kBeyond * cache.before_bytes / page + 1;
  if (each < 2 * given * page) return {};
  const std::size_t times = std::min(kFillings, cache.most_bytes / each);
  if (times == 0) return {};
  const auto memory = Memory::obtain(times * each, cache.pages);
  if (!memory) return {};
  const Kernel way = kernel(cache.access, cache.timer);
  std::vector<HeldLines> held;
  for (std::size_t i = 0; i < times && !stop(); ++i) {
    const std::span<std::byte> part = memory->bytes().subspan(i * each, each);
    const auto place = [&](std::size_t line) {
      return reinterpret_cast<Link*>(part.data() + line * cache.line_bytes);
    };
    Pieces pages(page / cache.line_bytes, place);
    const Ground ground{each / page, [&](auto tried) { return revisit(pages, tried, way); },
                        [&](std::size_t taken) { pages.join(taken); }};
    const auto deadline = Clock::now() + kLongFilling;
    const Filled filled = fill(ground, given, [&] { return stop() || Clock::now() > deadline; });
    if (!filled.full) continue;
    held.push_back({.about_bytes = static_cast<double>(cache.about_bytes),
                    .bytes = static_cast<double>(filled.pieces * page),
                    .page_bytes = static_cast<double>(page),
                    .hit_cycles = filled.taken * core_rate(cache.timer).cycles_per_tick / kBlock});
  }
  return held;
}

}  // namespace tacho::chase

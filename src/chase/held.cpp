#include "chase/held.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "chase/filling.hpp"
#include "chase/memory.hpp"
#include "chase/pieces.hpp"
#include "chase/sampler.hpp"

namespace tacho::chase {
namespace {

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

std::optional<HeldLines> held_lines(const Holder& holder, std::span<std::byte> memory,
                                    std::size_t given, const Stop& stop) {
  const std::size_t line = holder.line_bytes;
  const std::size_t page = std::max(small_page_bytes(), kBlock * line);
  Pieces pages(page / line,
               [&](std::size_t i) { return reinterpret_cast<Link*>(memory.data() + i * line); });
  const Kernel way = kernel(holder.access, holder.timer);
  const Ground ground{memory.size() / page, [&](auto tried) { return revisit(pages, tried, way); },
                      [&](std::size_t taken) { pages.join(taken); }};
  const Filled filled = fill(ground, given / page + 1, stop);
  if (!filled.full) return std::nullopt;
  return HeldLines{.bytes = static_cast<double>(filled.pieces * page),
                   .page_bytes = static_cast<double>(page),
                   .hit_cycles = filled.taken * core_rate(holder.timer).cycles_per_tick / kBlock};
}

}  // namespace tacho::chase

#include "latency/simulated_prober.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "latency/inference/rules.hpp"

namespace tacho {
namespace {

constexpr const SimulationRules& kWalks = kLatencyRules.simulation;

// Every walk costs the same, so one value represents all blocks.
LatencySample sample_of(const ListToProbe& list, const CpuModel& model, double cycles) {
  LatencySample sample;
  sample.bytes = list.lines * model.l1d.line;
  sample.lines = list.lines;
  sample.page_bytes = model.page;
  sample.layout = list.layout;
  sample.block_loads = kWalks.block_loads;
  sample.blocks.add(static_cast<std::uint64_t>(std::llround(cycles * kWalks.block_loads)),
                    kWalks.blocks);
  sample.bias.add(0, kWalks.blocks);
  sample.chain_ticks = cycles;
  return sample;
}

}  // namespace

std::size_t SimulatedProber::capacity(Layout layout) const {
  // Repeated lists are not walked for other programs.
  return layout == Layout::repeated ? 0 : std::numeric_limits<std::size_t>::max();
}

Result<std::optional<LatencySample>> SimulatedProber::probe(const ListToProbe& list) {
  const Walk walk{.bytes = list.lines * model_.l1d.line,
                  .steps = std::clamp(2 * list.lines, kWalks.least_steps, kWalks.most_steps),
                  .line_bytes = model_.l1d.line,
                  .layout = list.layout};
  auto events = counter_.count(walk, std::min(2 * list.lines, kWalks.most_steps));
  if (!events && events.error().code == EINTR) {
    ended_by_ = counter_.ended_by();
    return std::nullopt;
  }
  if (!events) return std::unexpected(events.error());
  if (!events->front() || events->front()->value <= 0)
    return failure("the simulation counted no cycles", counter_.reasons().front());
  LatencySample sample = sample_of(list, model_, events->front()->value);
  if (list.layout == Layout::packed) events_.push_back({sample.bytes, std::move(*events)});
  return sample;
}

}  // namespace tacho

#include "cli/simulated_latency.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>

#include "latency/chase/sizes.hpp"

namespace tacho {
namespace {

constexpr std::size_t kLeastBytes = 1024;
constexpr std::size_t kLeastPages = 2;
constexpr std::size_t kLeastSteps = 200'000;  // a program's start differs by some 1,000 cycles
constexpr std::size_t kMostSteps = 400'000;
constexpr unsigned kBlockLoads = 1000;  // so that a tick is a thousandth of a cycle
constexpr std::uint64_t kBlocks = 100;  // it would be the same each time
constexpr int kRounds = 3;              // of adding sizes at edges
constexpr double kWithin = 0.05;        // to which edges are to be known

std::vector<AdvertisedCache> caches_of(const CpuModel& m) {
  std::vector<AdvertisedCache> caches;
  unsigned level = 0;
  const auto add = [&](const CacheModel& cache) {
    caches.push_back({++level, cache.size, cache.ways, cache.line});
  };
  add(m.l1d);
  if (m.l2) add(*m.l2);
  if (m.l3) add(*m.l3);
  return caches;
}

std::size_t reach_of(const CpuModel& m) {
  const TlbModel& last = m.main_tlb ? *m.main_tlb : m.dtlb;
  return std::size_t{last.entries} + last.victims;
}

std::vector<AdvertisedTlb> tlb_of(const CpuModel& m) {
  std::vector<AdvertisedTlb> tlb = {{1, m.page, m.dtlb.entries}};
  if (m.main_tlb) tlb.push_back({2, m.page, reach_of(m)});
  return tlb;
}

class Simulated {
 public:
  Simulated(AccessCounter& counter, const CpuModel& model, const chase::Stop& stop,
            LatencyReport& report)
      : counter_(counter), model_(model), stop_(stop), report_(report) {}

  Result<void> lists(Layout layout, const std::vector<std::size_t>& lines);
  bool over() const { return report_.partial; }

 private:
  AccessCounter& counter_;
  const CpuModel& model_;
  const chase::Stop& stop_;  // of signals before the counter takes them
  LatencyReport& report_;
};

Result<void> Simulated::lists(Layout layout, const std::vector<std::size_t>& lines) {
  for (const std::size_t count : lines) {
    if (stop_()) report_.partial = true;
    if (over()) return {};
    const Walk walk{.bytes = count * model_.l1d.line,
                    .steps = std::clamp(2 * count, kLeastSteps, kMostSteps),
                    .line_bytes = model_.l1d.line,
                    .layout = layout};
    auto events = counter_.count(walk, std::min(2 * count, kMostSteps));
    if (!events && events.error().code == EINTR) {
      report_.partial = true;
      report_.ended_by = counter_.ended_by();
      return {};
    }
    if (!events) return std::unexpected(events.error());
    if (!events->front() || events->front()->value <= 0)
      return failure("the simulation counted no cycles", counter_.reasons().front());
    const double cycles = events->front()->value;
    LatencySample sample;
    sample.bytes = walk.bytes;
    sample.lines = count;
    sample.page_bytes = model_.page;
    sample.layout = layout;
    sample.block_loads = kBlockLoads;
    sample.blocks.add(static_cast<std::uint64_t>(std::llround(cycles * kBlockLoads)), kBlocks);
    sample.bias.add(0, kBlocks);
    report_.samples.push_back(std::move(sample));
    report_.chain_cycles.push_back(cycles);
    if (report_.events && layout == Layout::packed)
      report_.events->sizes.push_back({walk.bytes, std::move(*events)});
  }
  return {};
}

}  // namespace

std::size_t default_most_of(const CpuModel& m) {
  const auto last = static_cast<std::size_t>(caches_of(m).back().bytes);
  return std::bit_ceil(4 * std::max(last, reach_of(m) * m.page));
}

Result<void> measure_simulated(const PmuChoice& choice, const SimulatedRequest& request,
                               const chase::Stop& stop,
                               const std::function<void(double done)>& progress,
                               LatencyReport& report) {
  const CpuModel& model = *choice.model;
  std::vector<std::string> events = {"cycles"};
  events.insert(events.end(), request.events.begin(), request.events.end());
  auto counter = AccessCounter::open(choice, events);
  if (!counter) return std::unexpected(counter.error());
  report.advertised = {caches_of(model), tlb_of(model)};
  if (!request.events.empty())
    report.events = EventsOfSizes{.pmu = counter->pmu(),
                                  .page_bytes = model.page,
                                  .names = counter->names(),
                                  .units = counter->units()};
  Simulated simulated(*counter, model, stop, report);
  const auto finish = [&]() -> Result<void> {
    if (report.events) {
      std::ranges::sort(report.events->sizes, {}, &AccessEvents::bytes);
      report.events->reasons = counter->reasons();
    }
    return {};
  };
  const auto in_lines = [&](std::size_t bytes) {
    return std::max<std::size_t>(bytes / model.l1d.line, 1);
  };
  std::vector<std::size_t> lines;
  for (const std::size_t size : request.sizes) lines.push_back(in_lines(size));
  if (lines.empty())
    lines = chase::sizes_between(in_lines(kLeastBytes), in_lines(request.most_bytes), 2, 1);
  progress(0);
  if (auto done = simulated.lists(Layout::packed, lines); !done) return done;
  if (!request.sizes.empty()) return finish();
  progress(0.3);
  const auto wanted = [&] {
    return sizes_to_refine(
        infer_latency(report.samples, report.advertised, report.inference.tick_hz), kWithin,
        model.l1d.line);
  };
  for (int round = 0; round < kRounds; ++round) {
    lines.clear();
    for (const std::uint64_t size : wanted().packed_bytes)
      lines.push_back(in_lines(static_cast<std::size_t>(size)));
    if (auto done = simulated.lists(Layout::packed, lines); !done) return done;
    progress(0.3 + 0.1 * (round + 1));
  }
  lines = chase::sizes_between(kLeastPages, 4 * reach_of(model), 3, 1);
  for (int round = 0; round <= kRounds; ++round) {
    if (auto done = simulated.lists(Layout::spread, lines); !done) return done;
    lines.clear();
    for (const std::uint64_t pages : wanted().spread_pages)
      lines.push_back(static_cast<std::size_t>(pages));
    progress(0.6 + 0.1 * (round + 1));
  }
  return finish();
}

}  // namespace tacho

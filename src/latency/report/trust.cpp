// How far to trust what was measured: what speaks against it, in the order of its weight.
#include <fmt/format.h>

#include <algorithm>

#include "latency/report/report.hpp"

namespace tacho {
namespace {

constexpr double kCoarse = 4;   // cycles a tick from which on single loads of caches blur
constexpr double kBlind = 100;  // and from which on single loads tell nothing
constexpr double kManyDisturbed = 0.25;
constexpr double kDrift = 4;            // cycles of the bias
constexpr double kUneven = 0.15;        // of the core's clock, from size to size
constexpr std::size_t kManySizes = 12;  // to tell levels apart by
constexpr double kMuchWaited = 0.1;     // of the time

// Against: how much it weighs, and what it is.
struct Doubt {
  int weight;  // 1: some, 2: much, 3: everything
  std::string reason;
};

constexpr const char* kEnded = "it was ended before all sizes were measured";

// A simulation has no clock, and no company.
std::vector<Doubt> doubts_of_simulation(const LatencyReport& report) {
  std::vector<Doubt> found;
  if (report.overlaps)
    found.push_back(
        {3,
         "the model hides what loads cost behind other work, and does not know that "
         "each of these waits for the one before: the cycles are not a load's latency"});
  if (report.partial) found.push_back({2, kEnded});
  return found;
}

std::vector<Doubt> doubts(const LatencyReport& report) {
  std::vector<Doubt> found;
  const LatencyInference& in = report.inference;
  if (in.tiers.empty() && in.sizes.size() >= kManySizes)
    found.push_back({3, "no level was told apart"});
  const double step = in.tick_hz > 0 ? in.core_hz / in.tick_hz : 0;
  if (step > kBlind)
    found.push_back({2, fmt::format("a step of the clock lasts {:.0f} cycles: only blocks of loads "
                                    "were timed, which hide what single ones did",
                                    step)});
  else if (step > kCoarse)
    found.push_back({1, fmt::format("a step of the clock lasts {:.1f} cycles", step)});
  const auto disturbed = static_cast<double>(std::ranges::count_if(
      in.sizes, [](const SizeLatency& size) { return size.disturbed.has_value(); }));
  const auto all = static_cast<double>(in.sizes.size());
  const std::string sizes = plural(in.sizes.size(), "size", {});
  if (disturbed > 0)
    found.push_back({disturbed > kManyDisturbed * all ? 2 : 1,
                     fmt::format("{:.0f} of {} {} disturbed, and left out of the levels", disturbed,
                                 sizes, disturbed == 1 ? "was" : "were")});
  if (step > 0 && (in.bias.most - in.bias.least) * step > kDrift)
    found.push_back(
        {1, fmt::format("the bias went from {:.0f} to {:.0f} ticks", in.bias.least, in.bias.most)});
  if (!report.samples.empty()) {
    const auto [low, high] =
        std::ranges::minmax_element(report.samples, {}, &LatencySample::cycles_per_tick);
    if (high->cycles_per_tick > low->cycles_per_tick * (1 + kUneven))
      found.push_back({1, fmt::format("the core's clock went from {:.2f} to {:.2f} GHz",
                                      low->cycles_per_tick * in.tick_hz / 1e9,
                                      high->cycles_per_tick * in.tick_hz / 1e9)});
  }
  const auto shared =
      static_cast<double>(std::ranges::count_if(in.sizes, &SizeLatency::core_shared));
  if (2 * shared > all)
    found.push_back({2, fmt::format("{} during {:.0f} of {}", kCoreShared, shared, sizes)});
  if (report.waited_s > kMuchWaited * report.seconds)
    found.push_back({1, fmt::format("it waited for the CPU for {:.1f} of {:.1f} s", report.waited_s,
                                    report.seconds)});
  if (report.stolen_s.value_or(0) > kMuchWaited * report.seconds)
    found.push_back({1, fmt::format("the hypervisor had the CPU for {:.1f} of {:.1f} s",
                                    *report.stolen_s, report.seconds)});
  if (report.partial) found.push_back({2, kEnded});
  return found;
}

}  // namespace

Confidence trust(const LatencyReport& report) {
  std::vector<Doubt> all = report.simulated ? doubts_of_simulation(report) : doubts(report);
  if (report.simulated && all.empty())
    return {"exact", {"a simulated processor's cycles, the same in every run; no machine's"}};
  std::ranges::stable_sort(all, std::ranges::greater{}, &Doubt::weight);
  const int worst = all.empty() ? 0 : all.front().weight;
  Confidence made{worst == 0 ? "good" : worst == 1 ? "fair" : worst == 2 ? "poor" : "none", {}};
  for (Doubt& doubt : all) made.reasons.push_back(std::move(doubt.reason));
  return made;
}

}  // namespace tacho

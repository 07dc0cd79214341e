#include "latency/report/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/number.hpp"
#include "latency/inference/list_latency.hpp"

namespace tacho {
namespace {

// What is doubted: chosen by what single loads of caches still show, and by what a reader should
// know.
constexpr double kCoarse = 4;   // cycles per tick from which on single loads of caches blur
constexpr double kBlind = 100;  // cycles per tick from which on single loads show nothing
constexpr double kManyDisturbed = 0.25;  // share of the lists
constexpr double kDrift = 4;             // cycles, of the bias
constexpr double kUneven = 0.15;         // share, of the core's clock from list to list
constexpr std::size_t kManySizes = 12;   // lists that should show levels
constexpr double kMuchWaited = 0.1;      // share of the time

enum class Weight { none, some, much, all };

struct Doubt {
  Weight weight;
  std::string reason;
};

constexpr const char* kEnded = "it was ended before all lists were measured";

// A simulation has no clock that drifts, and no other work.
std::vector<Doubt> doubts_of_simulation(const LatencyReport& report) {
  std::vector<Doubt> found;
  if (report.partial) found.push_back({Weight::much, kEnded});
  return found;
}

std::vector<Doubt> doubts(const LatencyReport& report) {
  std::vector<Doubt> found;
  const LatencyInference& in = report.inference;
  if (in.tiers.empty() && in.sizes.size() >= kManySizes)
    found.push_back({Weight::all, "no level was found"});
  const double step = in.tick_hz > 0 ? in.core_hz / in.tick_hz : 0;
  if (step > kBlind)
    found.push_back(
        {Weight::much,
         fmt::format("a tick of the clock lasts {:.0f} cycles: only blocks of loads show "
                     "anything, and they hide the differences between loads",
                     step)});
  else if (step > kCoarse)
    found.push_back({Weight::some, fmt::format("a tick of the clock lasts {:.1f} cycles", step)});
  const auto disturbed = static_cast<double>(std::ranges::count_if(
      in.sizes, [](const SizeLatency& size) { return size.disturbed.has_value(); }));
  const auto all = static_cast<double>(in.sizes.size());
  const std::string lists = plural(in.sizes.size(), "list", {});
  if (disturbed > 0)
    found.push_back({disturbed > kManyDisturbed * all ? Weight::much : Weight::some,
                     fmt::format("{:.0f} of {} {} disturbed, and left out of the levels", disturbed,
                                 lists, disturbed == 1 ? "was" : "were")});
  if (step > 0 && (in.bias.most - in.bias.least) * step > kDrift)
    found.push_back({Weight::some, fmt::format("the bias changed between {:.0f} and {:.0f} ticks",
                                               in.bias.least, in.bias.most)});
  if (!report.samples.empty()) {
    const auto [low, high] =
        std::ranges::minmax_element(report.samples, {}, &LatencySample::cycles_per_tick);
    if (high->cycles_per_tick > low->cycles_per_tick * (1 + kUneven))
      found.push_back(
          {Weight::some, fmt::format("the core's clock changed between {:.2f} and {:.2f} GHz",
                                     low->cycles_per_tick * in.tick_hz / 1e9,
                                     high->cycles_per_tick * in.tick_hz / 1e9)});
  }
  const auto shared =
      static_cast<double>(std::ranges::count_if(in.sizes, &SizeLatency::core_shared));
  if (2 * shared > all)
    found.push_back(
        {Weight::much, fmt::format("{} during {:.0f} of {}", kCoreShared, shared, lists)});
  if (report.waited_s > kMuchWaited * report.seconds)
    found.push_back({Weight::some, fmt::format("it waited for the CPU for {:.1f} of {:.1f} s",
                                               report.waited_s, report.seconds)});
  if (report.stolen_s.value_or(0) > kMuchWaited * report.seconds)
    found.push_back({Weight::some, fmt::format("the hypervisor took the CPU for {:.1f} of {:.1f} s",
                                               *report.stolen_s, report.seconds)});
  if (report.partial) found.push_back({Weight::much, kEnded});
  return found;
}

}  // namespace

Confidence trust(const LatencyReport& report) {
  std::vector<Doubt> all = report.simulated ? doubts_of_simulation(report) : doubts(report);
  if (report.simulated && all.empty())
    return {
        "simulated",
        {"cycles of a model, the same in every run; an interval need not contain the model's own "
         "value"}};
  std::ranges::stable_sort(all, std::ranges::greater{}, &Doubt::weight);
  constexpr std::array kWords = {"good", "fair", "poor", "none"};
  const Weight worst = all.empty() ? Weight::none : all.front().weight;
  Confidence made{kWords.at(static_cast<std::size_t>(worst)), {}};
  for (Doubt& doubt : all) made.reasons.push_back(std::move(doubt.reason));
  return made;
}

}  // namespace tacho

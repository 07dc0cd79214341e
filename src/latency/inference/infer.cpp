#include "latency/inference/infer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.hpp"
#include "latency/inference/level_names.hpp"
#include "latency/inference/list_latency.hpp"
#include "latency/inference/tiers.hpp"
#include "latency/inference/tlb.hpp"
#include "stats/quantile.hpp"

namespace tacho {

LatencyInference infer_latency(std::span<const LatencySample> samples, const Advertised& advertised,
                               double tick_hz, std::span<const CacheFill> fills) {
  LatencyInference result;
  result.tick_hz = tick_hz;
  const Biases biases = find_biases(samples, result.warnings);
  result.bias = biases.found;
  for (std::size_t i = 0; i < samples.size(); ++i)
    result.sizes.push_back(size_latency(samples[i], biases.of_samples[i], tick_hz));

  std::vector<double> core_hz;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (!result.sizes[i].disturbed) core_hz.push_back(samples[i].cycles_per_tick * tick_hz);
  if (!core_hz.empty()) result.core_hz = median(core_hz);

  result.tlb = find_tlb(samples, result.sizes, result.core_hz);
  name_tlb(result.tlb, advertised.tlb, result.sizes, result.warnings);
  const auto as_small = std::ranges::find_if(
      result.sizes, [](const SizeLatency& size) { return size.tlb_page_bytes != size.page_bytes; });
  if (as_small != result.sizes.end())
    result.warnings.push_back(fmt::format(
        "pages of {} cost the TLB as much as pages of {}: the hypervisor may back them with those",
        bytes(as_small->page_bytes, {}), bytes(as_small->tlb_page_bytes, {})));
  result.tiers = find_tiers(samples, result.sizes, result.tlb, fills, advertised, result.core_hz,
                            result.warnings);

  const auto disturbed = std::ranges::count_if(
      result.sizes, [](const SizeLatency& size) { return size.disturbed.has_value(); });
  if (disturbed > 0)
    result.warnings.push_back(fmt::format("{} of {} {} disturbed and left out of the levels",
                                          disturbed, plural(samples.size(), "list", {}),
                                          disturbed == 1 ? "was" : "were"));
  return result;
}

}  // namespace tacho

#include "latency/report/condition.hpp"

#include <fmt/format.h>

namespace tacho {

std::string condition(const Tier& tier, std::string_view subtracted) {
  if (tier.kind == TierKind::unexplained)
    return "memory, no advertised cache: perhaps within the reach of the TLB";
  const std::string text =
      tier.kind == TierKind::cache ? fmt::format("hit in {}", tier.name) : tier.name;
  return tier.tlb_subtracted ? fmt::format("{}, {}", text, subtracted) : text;
}

}  // namespace tacho

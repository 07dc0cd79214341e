// The case that the latency of a level belongs to, such as "hit in L1".
#pragma once

#include <string>
#include <string_view>

#include "latency/inference/results.hpp"

namespace tacho {

// `subtracted` are the words for a level whose TLB misses were subtracted. Those of the machine
// formats stay as they are.
inline constexpr std::string_view kSubtractedInFormats = "TLB misses taken off";
std::string condition(const Tier&, std::string_view subtracted = kSubtractedInFormats);

}  // namespace tacho

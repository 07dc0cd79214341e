// Which lists to measure next.
#pragma once

#include <cstdint>
#include <vector>

#include "latency/inference/results.hpp"

namespace tacho {

// By rising size. `packed_bytes` are whole multiples of the line size.
struct SizesToRefine {
  std::vector<std::uint64_t> packed_bytes;
  std::vector<std::uint64_t> spread_pages;
};

// Lists that help to know each edge to within the share `within`: between two measured lists over
// which the latency rises, and within the interval of an edge. Empty if all edges are known, or if
// no list between the measured ones would help. Start with two to four sizes an octave, measure
// these lists, and infer again; three rounds are enough for 5 %.
SizesToRefine sizes_to_refine(const LatencyInference&, double within, std::uint64_t line_bytes);

}  // namespace tacho

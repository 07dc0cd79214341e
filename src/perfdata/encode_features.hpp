// Encodes the feature sections: what a recording states about its machine, its command and its
// files.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "perfdata/inventory.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

struct FeatureSection {
  std::size_t bit = 0;  // HEADER_*; sections are in the file in this order
  std::vector<std::byte> bytes;
};

// Returns the sections in the order of their bits. A section that would say nothing is left out.
std::vector<FeatureSection> encode_features(const Description& description,
                                            std::span<const WrittenEvent> events);

}  // namespace tacho::perfdata

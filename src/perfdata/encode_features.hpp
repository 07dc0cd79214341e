// The feature sections: what a recording tells of its machine, its command and its files.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "perfdata/inventory.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

struct FeatureSection {
  std::size_t bit = 0;  // HEADER_*, which is also their order in the file
  std::vector<std::byte> bytes;
};

// Those that the description has something for.
std::vector<FeatureSection> encode_features(const Description& description,
                                            std::span<const WrittenEvent> events);

}  // namespace tacho::perfdata

// What a region does with each unit of a value that its program noted: bytes a second, page faults
// a byte.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/number.hpp"

namespace tacho::caliper {

// One quantity of a region. The first one is the ticks.
struct QuantityTotal {
  std::string name;
  std::optional<double> total;  // none if it could not be counted
  bool noted = false;
  bool in_all = false;  // each execution of the region has it
};

struct NoteRate {
  std::string label;  // "bytes/s", "page-faults/bytes"
  std::string value;
};

// Of each note: the rate in the region's time, which is the sum over its threads; and each event
// per unit of the note, if each execution has it.
std::vector<NoteRate> note_rates(std::span<const QuantityTotal> quantities, double ticks_hz,
                                 const NumberStyle& style);

}  // namespace tacho::caliper

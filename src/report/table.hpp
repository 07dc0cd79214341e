// The aligned table of events and metrics in the text report.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "report/figure.hpp"

namespace tacho {

struct Row {
  Figure figure;
  std::string name;
  std::array<std::string, 4> rest;  // rate or unit in words, minimum, truth, origin or reason
};

// A line for each row: value, unit and spread, name, and the rest. The metrics follow an empty
// line. If lines would be wider than `columns` (0: no limit), first the figures move to the left.
// Then the last column is left out, then the truths, then the minima; a last line says which.
std::string table(const std::vector<Row>& events, const std::vector<Row>& metrics,
                  std::size_t columns);

}  // namespace tacho

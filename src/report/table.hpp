// The aligned table of events and metrics in the text report.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "report/figure.hpp"

namespace tacho {

struct Row {
  Figure figure;
  std::string name;
  std::array<std::string, 4> rest;  // rate or unit in words, minimum, truth, how it was got
};

// Value, unit and spread, name, and what else there is to say: a line a row, the metrics after an
// empty line.
std::string table(const std::vector<Row>& events, const std::vector<Row>& metrics);

}  // namespace tacho

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
  std::array<std::string, 4> rest;  // rate or unit in words, minimum, truth, origin
};

// A line for each row: value, unit and spread, name, and the rest. The metrics follow an empty
// line.
std::string table(const std::vector<Row>& events, const std::vector<Row>& metrics);

}  // namespace tacho

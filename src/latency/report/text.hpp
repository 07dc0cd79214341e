// `tacho latency` for people.
#pragma once

#include <string>

#include "base/number.hpp"
#include "latency/report/report.hpp"

namespace tacho {

std::string latency_text(const LatencyReport&, const NumberStyle&);
std::string matrix_text(const LatencyMatrix&, const NumberStyle&);

}  // namespace tacho

// `tacho latency --json`, schema 1: docs/reference/formats.md.
#pragma once

#include <string>
#include <string_view>

#include "latency/report/report.hpp"

namespace tacho {

std::string latency_json(const LatencyReport&);
std::string matrix_json(const LatencyMatrix&, std::string_view version);

}  // namespace tacho

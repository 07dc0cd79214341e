// The pages of `tacho latency --html`.
#pragma once

#include <string_view>

#include "latency/report/report.hpp"
#include "page/page.hpp"

namespace tacho {

Page latency_page(const LatencyReport&);
Page matrix_page(const LatencyMatrix&, std::string_view version);

}  // namespace tacho

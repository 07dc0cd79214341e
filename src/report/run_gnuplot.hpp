// Pictures by gnuplot, a program of its own that may not be installed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

// Before anything is measured for the picture. `instead` is what to do without gnuplot.
Result<void> need_gnuplot(const std::string& picture, std::string_view instead);

Result<void> run_gnuplot(const std::string& script, const std::string& picture,
                         std::string_view remedy);

}  // namespace tacho

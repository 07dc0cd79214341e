// Runs gnuplot, which draws the pictures and may not be installed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

// An error if gnuplot is not installed. Call it before anything is measured for the picture.
// `instead` is the remedy without gnuplot.
Result<void> need_gnuplot(const std::string& picture, std::string_view instead);

Result<void> run_gnuplot(const std::string& script, const std::string& picture,
                         std::string_view remedy);

}  // namespace tacho

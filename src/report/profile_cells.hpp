// The cells that profile tables share.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "report/profile_report.hpp"

namespace tacho {

std::string percent(double share, const NumberStyle&);        // 12.3 %
std::string range(const ShareInterval&, const NumberStyle&);  // 10.1…14.9 %

// Each line of the text in the colour of its heat, a share: with `style.colour`; otherwise as it
// is.
std::string coloured(std::string_view text, const std::function<double(std::size_t line)>& heat,
                     const TextStyle& style);

}  // namespace tacho

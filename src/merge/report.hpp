// What `tacho merge` prints, in each format.
#pragma once

#include <string>

#include "base/number.hpp"
#include "merge/merged.hpp"

namespace tacho {

// Each text is UTF-8 and ends in a newline.
std::string to_text(const Merged&, const NumberStyle&);
std::string to_json(const Merged&);
std::string to_csv(const Merged&);

}  // namespace tacho

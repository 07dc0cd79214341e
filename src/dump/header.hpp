// Shows what a recording states about itself and its machine.
#pragma once

#include <string>

#include "perfdata/record.hpp"

namespace tacho {

// Lines that begin with "#", in perf script's words as far as it has them.
std::string header_text(const perfdata::Description& recording);

// One line of JSON: {"recording": {…}}.
std::string header_json(const perfdata::Description& recording);

}  // namespace tacho

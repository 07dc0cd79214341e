// The explanation of a run's cycles, as text and JSON.
#pragma once

#include <string>

#include "base/number.hpp"
#include "blocks/run_explanation.hpp"
#include "report/schema.hpp"

namespace tacho {

// A number of cycles, with one digit after the point if it is below 100.
std::string cycles_of(double cycles, const NumberStyle&);
std::string explanation_text(const RunExplanation&, const NumberStyle&);
Json json_explanation(const RunExplanation&);
Json json_mode(const Mode&);

}  // namespace tacho

// Why a run takes the cycles that it takes, for people and for programs.
#pragma once

#include <string>

#include "base/number.hpp"
#include "blocks/run_explanation.hpp"
#include "report/schema.hpp"

namespace tacho {

// A number of cycles that is no whole one.
std::string cycles_of(double cycles, const NumberStyle&);
std::string explanation_text(const RunExplanation&, const NumberStyle&);
Json json_explanation(const RunExplanation&);
Json json_mode(const Mode&);

}  // namespace tacho

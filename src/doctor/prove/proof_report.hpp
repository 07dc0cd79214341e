// The report of `tacho doctor --prove` as text of at most 80 columns, and as JSON of schema 1.
#pragma once

#include <string>

#include "doctor/prove/prove.hpp"
#include "report/schema.hpp"

namespace tacho::prove {

// Checks of one PMU that could not be proved for the same reason share a paragraph.
std::string proof_text(const ProofReport& report);

// [{"pmu", "check", "outcome", "detail", "remedy", "figures": […]}]
Json proofs_json(const ProofReport& report);

}  // namespace tacho::prove

// The report of `tacho doctor`: what the machine can count, and the remedy for what it can't.
#pragma once

#include <string>
#include <string_view>

#include "doctor/examine.hpp"
#include "doctor/prove/prove.hpp"

namespace tacho {

std::string examination_text(const Examination&);

// {"pmu": …, "findings": […]} of schema 1.
std::string examination_json(const Examination&, std::string_view version);

// The same, and the machine and the proofs of `--prove`: {…, "machine": …, "proofs": […]}.
std::string proven_json(const Examination& seen, const Catalogue& catalogue,
                        const prove::ProofReport& proven, std::string_view version);

}  // namespace tacho

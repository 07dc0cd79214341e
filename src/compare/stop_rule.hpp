// When a comparison has run enough pairs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/gate.hpp"
#include "compare/judge.hpp"
#include "compare/runs.hpp"

namespace tacho {

// The looks of a comparison with so many metrics, and no others asked for: 10, 20, 40 and 80 pairs.
// With many metrics the first look is later, so that each of them can be significant there. A
// simulation looks at two runs of each command: if they count alike, the next ones would, too. Else
// it goes on to 10.
StopRule usual_stop_rule(std::size_t metrics, bool simulated);

// Whether the comparison can end at this look, and why. The gates decide, if there are any; else
// the precision that the user asks for; else the primary metric: it has changed, or its interval is
// so narrow that no change worth reporting is left.
std::optional<Stopped> settled(const PairedRuns& runs, const std::vector<PairedChange>& changes,
                               const StopRule& rule, const std::vector<Gate>& gates);

}  // namespace tacho

// Makes the summary of a recording of waits.
#pragma once

#include "locate/resolver.hpp"
#include "profile/recorded_profile.hpp"
#include "wall/report/wait_reasons.hpp"
#include "wall/report/wall_summary.hpp"

namespace tacho {

// Of the chosen threads and times. `recorded` was read with WallView::apart, and has the times of
// its samples.
WallSummary summarize_wall(const RecordedProfile& recorded, Resolver& resolver,
                           const WaitReasons& reasons);

}  // namespace tacho

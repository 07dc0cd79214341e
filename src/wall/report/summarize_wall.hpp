// Makes the summary of a recording of waits.
#pragma once

#include <vector>

#include "locate/resolver.hpp"
#include "profile/recorded_profile.hpp"
#include "wall/report/wait_reasons.hpp"
#include "wall/report/wall_summary.hpp"

namespace tacho {

// `recorded` was read with WallView::apart, and has the times of its samples. `alone`: for each
// sample of running time, whether no other thread ran.
WallSummary summarize_wall(const RecordedProfile& recorded, const std::vector<bool>& alone,
                           Resolver& resolver, const WaitReasons& reasons);

}  // namespace tacho

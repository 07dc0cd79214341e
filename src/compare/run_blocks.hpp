// Runs the commands of a comparison, block by block, until its stop rule ends it.
#pragma once

#include <functional>

#include "base/result.hpp"
#include "compare/judge.hpp"
#include "compare/runs.hpp"
#include "measure/plan.hpp"
#include "pmu/pmu.hpp"
#include "process/supervisor.hpp"
#include "report/notices.hpp"

namespace tacho {

// The state of a comparison that is under way.
struct PairProgress {
  const PairedRuns& runs;
  double seconds = 0;         // since it began
  std::size_t next_look = 0;  // number of pairs
  std::size_t last_look = 0;
};

// A block has one run of each member, in random order, so that no command always runs first and
// slow changes of the machine meet all of them. The first block is a warm-up. A simulation has no
// warm-up. Errors: a command that can't be launched, that fails (unless the request ignores this)
// or that takes too long; its output then goes to `notices` before. A signal is no error: what has
// run until then is the result.
Result<PairedRuns> run_blocks(const CompareRequest& request, Pmu& pmu, Supervisor& supervisor,
                              const Plan& plan, const Notices& notices,
                              const std::function<void(const PairProgress&)>& progress);

}  // namespace tacho

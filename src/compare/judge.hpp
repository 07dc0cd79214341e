// Judges how the commands differ: an estimate, an interval and a verdict for each metric.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/runs.hpp"

namespace tacho {

enum class ChangeScale {
  ratio,       // changes are relative: 0.03 for +3 %
  difference,  // of a metric that was 0 in a run: in its own unit
};

enum class ChangeVerdict {
  less,       // the interval is below 0
  more,       // the interval is above 0
  equal,      // no pair differed
  undecided,  // the interval includes 0
  missing,    // there are no values, or too few pairs
};
std::string_view to_string(ChangeVerdict);

// The change of one metric from the first command to another.
struct PairedChange {
  std::size_t member = 0;  // the other command's
  std::size_t metric = 0;
  std::size_t pairs = 0;
  double before = 0, after = 0;  // medians over the runs
  ChangeScale scale = ChangeScale::ratio;
  double estimate = 0, low = 0, high = 0;
  double p = 1;         // of the test that nothing changed
  double level = 0.05;  // the change is claimed if p is at most this
  ChangeVerdict verdict = ChangeVerdict::missing;
  // The smallest relative change that this many runs find in 80 of 100 comparisons; none if it is
  // not known.
  std::optional<double> findable = {};
};

// Each pair of runs in a block gives the logarithm of a ratio. Their Hodges-Lehmann estimate and
// signed-rank interval (stats/signed_rank.hpp) need no normal distribution, and slow changes of the
// machine cancel in each pair. The primary metric has the significance level `runs.level` for
// itself, the other metrics share it (stats/holm.hpp). So of all comparisons of equal commands, 5
// in 100 claim a change of the primary metric, and 5 in 100 claim any other change.
//
// After several looks, the interval of the primary metric allows for them: it holds the true change
// in 95 of 100 comparisons, whatever that is (stopped_interval() in stats/looks.hpp). Of several
// commands, and of the other metrics, each interval has the confidence 1 - level.
//
// A baseline of another session makes no pairs. Then the mean logarithms of both sessions are
// compared, with intervals that include the slow changes within each session
// (stats/repeats.hpp).
std::vector<PairedChange> judge(const PairedRuns& runs);

// The significance level of each of these looks. Looks with too few pairs for any claim do not
// count.
double level_of(const std::vector<std::size_t>& looks);

}  // namespace tacho

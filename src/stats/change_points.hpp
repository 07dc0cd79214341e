// Where the level of a sequence changes: the phases of a program, from the rates of its periods.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tacho {

// Whether the values of a stretch [from, to) are larger or smaller than the others. The test takes
// the range of the cumulative sums of ranks (N. H. Kuiper, Proc. Kon. Ned. Akad. Wet. A 63 (1960)),
// so a level that comes back later is seen, too, and outliers count little.
struct LevelChange {
  std::size_t from = 0, to = 0;
  std::size_t border = 0;  // the end of the stretch where the change is the clearest
  // That a sequence without a change shows one as clear. The limit for many values, which is too
  // large for few.
  double probability = 1;
};
LevelChange clearest_change(std::span<const double> values);

// The indices at which a new level begins, ascending. The parts of the sequence are divided as long
// as a change is significant: `risk` is the probability of a change that is not there in a sequence
// whose values are independent, and again in each part. A change of the median by less than a tenth
// of the larger one, and one that leaves less than 5 values, are left out. A slow drift is divided
// into steps.
std::vector<std::size_t> change_points(std::span<const double> values, double risk);

}  // namespace tacho

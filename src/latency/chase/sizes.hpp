// Which sizes to measure first, and where to end. (What to add to them is for analysis to say.)
#pragma once

#include <cstddef>
#include <vector>

namespace tacho::chase {

// From `least` to `most`, `an_octave` to each doubling, all of them multiples of `unit`; both ends
// are among them.
std::vector<std::size_t> sizes_between(std::size_t least, std::size_t most, unsigned an_octave,
                                       std::size_t unit);

// Where a sweep ends that no one told its end: far enough behind the last level of caches
// (`last_level` bytes, 0: not known) to see memory, and within the room there is (a quarter of
// `free`).
std::size_t default_most(std::size_t last_level, std::size_t free);

}  // namespace tacho::chase

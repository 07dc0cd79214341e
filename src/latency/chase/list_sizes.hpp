// Which sizes to measure first, and the largest one. The inference then asks for more.
#pragma once

#include <cstddef>
#include <vector>

namespace tacho::chase {

// Sizes from `least` to `most`, both included, with `an_octave` in each doubling. All are multiples
// of `unit`.
std::vector<std::size_t> sizes_between(std::size_t least, std::size_t most, unsigned an_octave,
                                       std::size_t unit);

// The largest list, unless the user chooses it: large enough beyond the last cache (`last_level`
// bytes, 0: unknown) to show memory, and at most a quarter of the `free` bytes.
std::size_t default_most(std::size_t last_level, std::size_t free);

}  // namespace tacho::chase

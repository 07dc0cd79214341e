// Gives a run the memory layout that is asked for.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "compare/request.hpp"
#include "process/launch.hpp"

namespace tacho {

// The stack begins below the environment and the arguments, so their size moves it. A difference of
// some bytes can change the time of a program by several per cent (T. Mytkowicz, A. Diwan, M.
// Hauswirth and P. F. Sweeney, Producing wrong data without doing anything obviously wrong!, ASPLOS
// 2009).
class MemoryLayouts {
 public:
  explicit MemoryLayouts(const std::vector<ComparedCommand>& commands);

  // Adds a variable to the environment of the launch (fixed: so that all commands have strings of
  // one size; shuffled: of random size), and fixes its addresses. Does nothing for
  // MemoryLayout::kernel.
  void apply(MemoryLayout layout, std::size_t command, Launch& launch,
             std::mt19937_64& random) const;

 private:
  std::vector<std::size_t> padding_;  // by command, to the size of the largest
};

}  // namespace tacho

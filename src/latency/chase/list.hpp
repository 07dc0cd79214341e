// A list that leads through cache lines in random order and back to its beginning.
#pragma once

#include <cstddef>
#include <span>

#include "latency/chase/random_draw.hpp"
#include "latency/inference/samples.hpp"

namespace tacho::chase {

// The beginning of a line: the address of the next one. Chases that write also touch the next word;
// the rest of the line is not touched.
struct Link {
  Link* next;
};

struct Shape {
  Layout layout = Layout::packed;
  std::size_t line_bytes = 64;
  std::size_t page_bytes = 4096;  // not used for packed lists

  std::size_t stride() const { return layout == Layout::packed ? line_bytes : page_bytes; }
};

// One cycle through all lines, each order equally likely (S. Sattolo, Information Processing
// Letters 22, 1986, here from the first line on: a new line follows one that is drawn among the
// others). So a longer list continues a shorter one, and all sizes together cost no more than the
// largest. Prefetchers find no pattern.
class List {
 public:
  List(std::span<std::byte> memory, Shape shape);

  // Makes the list so many lines long, at least 1. Adding 4 Mi lines takes about 0.1 s.
  void resize(std::size_t lines);

  std::size_t lines() const { return lines_; }
  std::size_t capacity() const;  // lines that the memory has room for
  Link* begin() const { return place(0); }
  // The line at a place in memory, 0 to capacity() - 1.
  Link* place(std::size_t line) const;

 private:
  std::span<std::byte> memory_;
  Shape shape_;
  std::size_t lines_ = 0;
  RandomDraw draw_;
};

}  // namespace tacho::chase

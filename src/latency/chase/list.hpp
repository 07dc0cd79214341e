// A list that leads through lines of memory in random order and back to its begin.
#pragma once

#include <cstddef>
#include <span>

#include "latency/chase/draw.hpp"
#include "latency/inference/latency.hpp"

namespace tacho::chase {

// The begin of a line: the address of the next one. The rest of it is not touched, but for the word
// behind, by those chases that write.
struct Link {
  Link* next;
};

struct Shape {
  Layout layout = Layout::packed;
  std::size_t line_bytes = 64;
  std::size_t page_bytes = 4096;  // of all but `packed`

  std::size_t stride() const { return layout == Layout::packed ? line_bytes : page_bytes; }
};

// One cycle through all its lines, each order as likely as any other (S. Sattolo, Information
// Processing Letters 22, 1986, here from the first line on: a new one goes behind one that is drawn
// among those there are). So a longer list is a shorter one continued, and all sizes together cost
// no more than the largest. There is nothing for a prefetcher to see.
class List {
 public:
  List(std::span<std::byte> memory, Shape shape);

  // Makes it as many lines long; the fewest are 1. Adding 4 Mi of them takes some 0.1 s.
  void resize(std::size_t lines);

  std::size_t lines() const { return lines_; }
  std::size_t capacity() const;  // lines that the memory has
  Link* begin() const { return place(0); }
  // Any line, by its place in memory.
  Link* place(std::size_t line) const;

 private:
  std::span<std::byte> memory_;
  Shape shape_;
  std::size_t lines_ = 0;
  Draw draw_;
};

}  // namespace tacho::chase

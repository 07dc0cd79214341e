#include "latency/chase/list.hpp"

#include "latency/chase/memory.hpp"

namespace tacho::chase {
namespace {

// By fractional parts of multiples of the golden ratio. They are spread evenly, also along every
// arithmetic progression: pages side by side use all sets of a second-level cache. (With the page's
// number modulo the places, only 64 of 2,048 sets would be used.)
std::size_t place_in_page(std::size_t page, std::size_t places) {
  constexpr std::uint64_t kRatio = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio
  const std::uint64_t part = static_cast<std::uint64_t>(page) * kRatio >> 32U;
  return static_cast<std::size_t>(part * static_cast<std::uint64_t>(places) >> 32U);
}

// Each physical page has one word for each virtual page that shows it, line after line. Another
// page begins at another line, so that few pages fill all sets of the first level alike.
std::size_t word_in_page(std::size_t page, std::size_t shown, const Shape& shape) {
  const std::size_t first = page % shown * 2 * shape.line_bytes;
  return (first + page / shown * sizeof(Link)) % shape.page_bytes;
}

}  // namespace

List::List(std::span<std::byte> memory, Shape shape) : memory_(memory), shape_(shape) {
  resize(1);
}

std::size_t List::capacity() const {
  return memory_.size() / shape_.stride();
}

Link* List::place(std::size_t line) const {
  std::size_t at = line * shape_.stride();
  if (shape_.layout == Layout::spread)
    at += place_in_page(line, shape_.page_bytes / shape_.line_bytes) * shape_.line_bytes;
  if (shape_.layout == Layout::repeated)
    at += word_in_page(line, physical_pages(capacity()), shape_);
  return reinterpret_cast<Link*>(memory_.data() + at);
}

void List::resize(std::size_t lines) {
  if (lines < lines_ || lines_ == 0) {
    place(0)->next = place(0);
    lines_ = 1;
  }
  for (; lines_ < lines; ++lines_) {
    Link* const before = place(draw_.below(lines_));
    Link* const added = place(lines_);
    added->next = before->next;
    before->next = added;
  }
}

}  // namespace tacho::chase

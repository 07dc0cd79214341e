#include "latency/chase/list.hpp"

#include "latency/chase/memory.hpp"

namespace tacho::chase {
namespace {

// The page's number with its digits in base 3 mirrored at the point, times `places`: a Halton
// sequence (J. H. Halton, Numerische Mathematik 2, 1960). 2 and 3 have no common factor, so the
// places are spread evenly among the pages of each residue modulo a power of two, too. A
// second-level cache has the lines of pages side by side in all its sets then.
std::size_t place_in_page(std::size_t page, std::size_t places) {
  constexpr std::uint64_t kBase = 3;
  std::uint64_t mirrored = 0, power = 1;
  for (std::uint64_t left = page; left != 0; left /= kBase) {
    mirrored = mirrored * kBase + left % kBase;
    power *= kBase;
  }
  return static_cast<std::size_t>(mirrored * places / power);
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

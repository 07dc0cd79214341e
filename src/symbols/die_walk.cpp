#include "symbols/die_walk.hpp"

#include <dwarf.h>

namespace tacho::symbols {

bool DieWalk::read_entry(std::uint64_t code) {
  const Abbreviations::Declaration* declaration = unit_->abbreviations->find(code);
  if (declaration == nullptr) return false;
  depth_ = next_depth_;
  tag_ = declaration->tag;
  sibling_ = 0;
  for (const auto& attribute : unit_->abbreviations->attributes_of(*declaration)) {
    const auto value = read_form(bytes_, attribute.form, unit_->encoding);
    if (!value) return false;
    if (attribute.name == DW_AT_sibling) sibling_ = *value;
  }
  if (declaration->has_children) ++next_depth_;
  return bytes_.good();
}

// Reads an entry, or the zero that ends a list of children.
bool DieWalk::step() {
  if (damaged_ || bytes_.left() == 0) return false;  // some compilers leave the last zeros out
  at_ = bytes_.at();
  const std::uint64_t code = bytes_.leb128();
  at_entry_ = code != 0;
  if (at_entry_) return !(damaged_ = !read_entry(code));
  sibling_ = 0;
  return --next_depth_ > 0;
}

bool DieWalk::next() {
  if (began_ && next_depth_ == 0) return false;
  began_ = true;
  do
    if (!step()) return false;
  while (!at_entry_);
  return true;
}

void DieWalk::skip_children() {
  const int depth = depth_;
  while (next_depth_ > depth) {
    if (sibling_ > bytes_.at() && next_depth_ > depth_) {  // only forwards
      bytes_.go_to(static_cast<std::size_t>(sibling_));
      damaged_ = !bytes_.good();
      next_depth_ = depth_;
    } else if (!step()) {
      return;
    }
  }
}

}  // namespace tacho::symbols

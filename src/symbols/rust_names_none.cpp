// The demangler of Rust names in a build without libiberty: it knows none.
#include "symbols/rust_names.hpp"

namespace tacho::symbols {

BoundedName rust_name(const std::string&) {
  return {};
}

}  // namespace tacho::symbols

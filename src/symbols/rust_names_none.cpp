// The demangler of Rust names in a build without libiberty: it knows none.
#include "symbols/rust_names.hpp"

namespace tacho::symbols {

std::optional<std::string> rust_name(const std::string&) {
  return std::nullopt;
}

}  // namespace tacho::symbols

// Rust's names in a build without libiberty.
#include "symbols/rust_names.hpp"

namespace tacho::symbols {

std::optional<std::string> rust_name(const std::string&) {
  return std::nullopt;
}

}  // namespace tacho::symbols

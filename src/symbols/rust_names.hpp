// Demangles names of Rust.
#pragma once

#include <string>

#include "symbols/bounded_name.hpp"

namespace tacho::symbols {

// Demangles names of the legacy scheme (_ZN…17h0123456789abcdefE) and of v0 (_R…, RFC 2603), and
// removes the hashes. Knows no names in a build without libiberty.
BoundedName rust_name(const std::string& mangled);

}  // namespace tacho::symbols

// Demangles names of Rust.
#pragma once

#include <optional>
#include <string>

namespace tacho::symbols {

// Demangles names of the legacy scheme (_ZN…17h0123456789abcdefE) and of v0 (_R…, RFC 2603), and
// removes the hashes. Returns nullopt for other names, and in a build without libiberty.
std::optional<std::string> rust_name(const std::string& mangled);

}  // namespace tacho::symbols

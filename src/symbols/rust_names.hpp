// Names as Rust's compiler mangles them.
#pragma once

#include <optional>
#include <string>

namespace tacho::symbols {

// Of the older scheme (_ZN…17h0123456789abcdefE) and of v0 (_R…, RFC 2603), without the hashes.
// Nothing where the name is no such one, nor in a build without libiberty.
std::optional<std::string> rust_name(const std::string& mangled);

}  // namespace tacho::symbols

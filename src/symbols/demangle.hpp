// Names as their programmers wrote them.
#pragma once

#include <string>
#include <string_view>

namespace tacho::symbols {

// Of C++ (Itanium ABI) and of Rust (rust_names.hpp); a suffix that a compiler added (`.cold`,
// `.constprop.0`, `@plt`) stays behind it. What is not mangled comes back as it is.
std::string demangled(std::string_view name);

// A demangled name without what it returns and takes: "void sort<int*>(int*, int*)" gives
// "sort<int*>". A suffix stays: a compiler's, and a PLT's, whose stub is another function.
std::string without_parameters(std::string_view demangled);

// What a report shows of a symbol: demangled and without parameters; whole where it is not mangled,
// for brackets mean something else in the names of Go and of JITs ("main.(*Server).handle").
std::string brief_name(std::string_view symbol);

// Whether a user who writes `asked` means this function: its name whole, without parameters, or
// without parameters and the scopes before it ("multiply" for "(anonymous namespace)::multiply").
bool is_meant(std::string_view demangled, std::string_view asked);

}  // namespace tacho::symbols

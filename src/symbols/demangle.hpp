// Demangles symbols into the names that programmers wrote, and shortens them.
#pragma once

#include <string>
#include <string_view>

namespace tacho::symbols {

// Demangles names of C++ (Itanium ABI) and of Rust (rust_names.hpp). Keeps a suffix that a compiler
// or linker added (`.cold`, `.constprop.0`, `@plt`). Returns a name that is not mangled unchanged,
// and a name that is_too_long_to_demangle().
std::string demangled(std::string_view name);

// Whether a mangled name stays as it is because its text would be too long: longer than 64 KB, or
// than 64 times the name (bounded_name.hpp). No name of a real program is known to be so long.
bool is_too_long_to_demangle(std::string_view name);

// Removes the return type and the parameters from a demangled name: "void sort<int*>(int*, int*)"
// becomes "sort<int*>". Keeps a suffix, because `sort@plt` is another function than `sort`.
std::string without_parameters(std::string_view demangled);

// The name that a report shows for a symbol: demangled and without parameters. A name that is not
// mangled stays whole: brackets mean something else in names of Go and of JIT compilers
// ("main.(*Server).handle").
std::string brief_name(std::string_view symbol);

// Whether `asked`, which a user wrote, is a name of this function: the whole name, the name without
// parameters, or the name without parameters and without its scopes ("multiply" for
// "(anonymous namespace)::multiply").
bool is_meant(std::string_view demangled, std::string_view asked);

}  // namespace tacho::symbols

// Demangles names of C++ (Itanium C++ ABI, section 5.1) within limits of memory and work.
#pragma once

#include <string>

#include "symbols/bounded_name.hpp"

namespace tacho::symbols {

BoundedName cxx_name(const std::string& mangled);

}  // namespace tacho::symbols

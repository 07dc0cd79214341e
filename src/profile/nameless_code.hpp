// Says in warnings which samples fell into code of JIT compilers that has no names, and how to get
// names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "locate/resolver.hpp"
#include "profile/profile.hpp"

namespace tacho {

// One warning for each of the first processes with at least 1 % of the event's samples in such
// code. Also has the warnings about jitdump files that could not be read.
std::vector<std::string> nameless_code_warnings(const Profile&, Resolver&, std::size_t event);

}  // namespace tacho

// Warns of files whose functions have no names because they were stripped.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "locate/resolver.hpp"
#include "profile/profile.hpp"

namespace tacho {

// One warning for each stripped file with at least 1 % of the event's samples in functions without
// a name; most samples first. The first few have a warning of their own. The last one says how to
// get the names.
std::vector<std::string> stripped_file_warnings(const Profile&, Resolver&, std::size_t event);

}  // namespace tacho

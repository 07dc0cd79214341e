// What makes a profile doubtful.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "locate/resolver.hpp"
#include "profile/profile.hpp"

namespace tacho {

// Most samples that the lost records can have had; none if the times are not known.
std::optional<std::uint64_t> most_lost_samples(const Profile&, const perfdata::Description&);

// One warning for each doubt. Comes after all names were looked up, because the resolver has
// warnings, too.
std::vector<std::string> profile_warnings(const Profile&, const perfdata::Description&, Resolver&,
                                          std::size_t event);

}  // namespace tacho

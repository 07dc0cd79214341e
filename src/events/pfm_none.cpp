// Replaces pfm.cpp where tacho is built without libpfm4 (TACHO_LIBPFM=OFF), and in the public
// library. It knows no names.
#include "events/pfm.hpp"

namespace tacho {

std::string_view pfm_absence() {
  return "the vendors' names (libpfm4's) are not built in here: give their codes, such as r01c0";
}

Result<std::optional<Event>> pfm_event(std::string_view) {
  return std::nullopt;
}

const std::vector<PfmName>& pfm_names() {
  static const std::vector<PfmName> none;
  return none;
}

}  // namespace tacho

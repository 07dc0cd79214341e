// In the place of pfm.cpp where tacho is built without libpfm4 (TACHO_LIBPFM=OFF): no names.
#include "events/pfm.hpp"

namespace tacho {

std::string_view pfm_absence() {
  return "this tacho was built without libpfm4's names";
}

Result<std::optional<Event>> pfm_event(std::string_view) {
  return std::nullopt;
}

const std::vector<PfmName>& pfm_names() {
  static const std::vector<PfmName> none;
  return none;
}

}  // namespace tacho

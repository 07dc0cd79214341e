#include "latency/inference/samples.hpp"

#include <array>
#include <cstddef>

namespace tacho {

std::string_view to_string(Layout layout) {
  constexpr std::array<std::string_view, 3> kLayouts = {"packed", "spread", "repeated"};
  return kLayouts.at(static_cast<std::size_t>(layout));
}

}  // namespace tacho

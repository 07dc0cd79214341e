#include "simulation/program_head.hpp"

#include <span>

#include "base/regular_file.hpp"

namespace tacho {

std::string head_of(const std::string& file) {
  constexpr std::size_t kHeadBytes = 4096;
  const auto opened = open_regular_file(file, "/", Links::safe);
  if (!opened) return {};
  std::string head(kHeadBytes, '\0');
  head.resize(opened->read(0, std::as_writable_bytes(std::span(head))));
  return head;
}

}  // namespace tacho

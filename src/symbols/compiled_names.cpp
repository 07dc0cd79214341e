#include "symbols/compiled_names.hpp"

#include <cctype>

namespace tacho::symbols {
namespace {

bool is_in_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// The description without the file at its end.
std::string_view without_file(std::string_view described) {
  const std::size_t at = described.rfind(' ');
  if (at == described.npos || described.find_first_of("/:", at) == described.npos) return described;
  return described.substr(0, at);
}

}  // namespace

bool is_compiled_name(std::string_view described, std::string_view asked) {
  const std::string_view within = without_file(described);
  if (asked.empty()) return false;
  for (std::size_t at = 0; (at = within.find(asked, at)) != within.npos; ++at) {
    const std::size_t end = at + asked.size();
    const bool begins = at == 0 || !is_in_a_name(within[at - 1]);
    if (begins && (end == within.size() || !is_in_a_name(within[end]))) return true;
  }
  return false;
}

}  // namespace tacho::symbols

#include "symbols/demangle.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "symbols/cxx_names.hpp"
#include "symbols/rust_names.hpp"

namespace tacho::symbols {
namespace {

constexpr std::size_t kLongest = 16384;  // bytes: the demanglers' memory grows with the name

// The position of the opening bracket that belongs to the one at `close`; npos if there is none.
std::size_t opening(std::string_view text, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return text.npos;
}

// Whether the text begins with qualifiers of a function that is the scope of the rest: " const" in
// "f() const::{lambda()#1}".
bool qualifies_scope(std::string_view text) {
  constexpr std::array<std::string_view, 4> kQualifiers{" const", " volatile", " &&", " &"};
  const std::size_t all = text.size();
  for (const std::string_view qualifier : kQualifiers)  // in this order
    if (text.starts_with(qualifier)) text.remove_prefix(qualifier.size());
  return text.size() < all && text.starts_with("::");
}

// The position after the last `separator` that is outside of all brackets; 0 if there is none.
std::size_t last_part(std::string_view text, std::string_view separator) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '<' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == '>' || text[i] == '}') --depth;
    if (depth == 0 && text.substr(i).starts_with(separator) && !qualifies_scope(text.substr(i)))
      begin = i + separator.size();
  }
  return begin;
}

BoundedName bounded(std::string_view name) {
  if (!(name.starts_with("_Z") || name.starts_with("_R"))) return {};
  if (name.size() > kLongest) return {std::nullopt, true};
  const std::string mangled(name.substr(0, name.find('@')));
  BoundedName made = rust_name(mangled);
  if (!made.text && !made.too_long) made = cxx_name(mangled);
  if (made.text) *made.text += name.substr(mangled.size());
  return made;
}

}  // namespace

std::string without_parameters(std::string_view demangled) {
  const std::size_t end =
      std::min({demangled.find(" [clone"), demangled.find("@plt"), demangled.size()});
  const std::string_view suffix = demangled.substr(end);
  std::string_view name = demangled.substr(0, end);
  const std::size_t close = name.rfind(')');
  // Only qualifiers such as "const" or "&" follow the parameters. Names of operators contain
  // brackets themselves.
  if (close == name.npos || name.find_first_of(":<>.", close) != name.npos)
    return std::string(demangled);
  const std::size_t open = opening(name, close);
  if (open == name.npos || open == 0 || name.substr(0, open).ends_with("operator"))
    return std::string(demangled);
  name = name.substr(0, open);
  const std::size_t named_operator = name.find("operator");
  const std::string_view before = name.substr(0, named_operator);
  name.remove_prefix(last_part(before, " "));
  return std::string(name) + std::string(suffix);
}

std::string brief_name(std::string_view symbol) {
  std::string whole = demangled(symbol);
  return whole == symbol ? whole : without_parameters(whole);
}

bool is_meant(std::string_view demangled, std::string_view asked) {
  if (demangled == asked) return true;
  const std::string bare = without_parameters(demangled);
  return bare == asked || std::string_view(bare).substr(last_part(bare, "::")) == asked;
}

std::string demangled(std::string_view name) {
  return bounded(name).text.value_or(std::string(name));
}

bool is_too_long_to_demangle(std::string_view name) {
  return bounded(name).too_long;
}

}  // namespace tacho::symbols

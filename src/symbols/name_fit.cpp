#include "symbols/name_fit.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

#include "symbols/demangle.hpp"

namespace tacho::symbols {
namespace {

constexpr std::string_view kCut = "…";
constexpr std::string_view kOperator = "operator";

// The position behind the symbol of an operator that is named at `at`, such as "operator<<"; `at`
// if none is named there.
std::size_t behind_operator(std::string_view text, std::size_t at) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  if (!text.substr(at).starts_with(kOperator) || (at > 0 && in_word(text[at - 1]))) return at;
  std::size_t end = at + kOperator.size();
  if (text.substr(end).starts_with("()") || text.substr(end).starts_with("[]")) return end + 2;
  while (end < text.size() && std::string_view("<>=-!+*/%&|^~,").find(text[end]) != text.npos)
    ++end;
  return end == at + kOperator.size() ? at : end;
}

// Whether a symbol's version begins here, as in "pthread_mutex_lock@@GLIBC_2.2.5".
bool is_version(std::string_view text) {
  return text.size() > 1 && text[0] == '@' &&
         (text[1] == '@' || (text[1] >= 'A' && text[1] <= 'Z'));
}

// The text without template arguments, ABI tags ("[abi:cxx11]") and the version of a symbol.
std::string without_arguments(std::string_view text) {
  std::string result;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (const std::size_t end = behind_operator(text, i); end > i && depth == 0) {
      result += text.substr(i, end - i);
      i = end - 1;
      continue;
    }
    if (text.substr(i).starts_with("[abi:")) {
      i = std::min(text.find(']', i), text.size() - 1);
      continue;
    }
    if (depth == 0 && is_version(text.substr(i))) break;
    const bool arrow = text[i] == '>' && i > 0 && text[i - 1] == '-';
    if (text[i] == '<') ++depth;
    if (depth == 0) result += text[i];
    if (text[i] == '>' && depth > 0 && !arrow) --depth;
  }
  while (result.ends_with(' ')) result.pop_back();  // of "operator< <int>"
  return result;
}

// The parts between "::" that are outside of all brackets.
std::vector<std::string_view> scopes(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (const std::size_t end = behind_operator(text, i); end > i && depth == 0) {
      i = end - 1;
      continue;
    }
    if (text[i] == '(' || text[i] == '<' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == '>' || text[i] == '}') --depth;
    if (depth != 0 || !text.substr(i).starts_with("::")) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 2;
    ++i;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

bool is_scope(std::string_view name, std::string_view asked) {
  return name == asked || without_arguments(name) == asked;
}

// Whether the last parts are the same, and the other asked ones are in the name in this order. So
// inline and unnamed namespaces can be left out wherever they are.
bool has_scopes(std::string_view name, std::string_view asked) {
  const std::vector<std::string_view> all = scopes(name);
  const std::vector<std::string_view> wanted = scopes(asked);
  if (!is_scope(all.back(), wanted.back())) return false;
  std::size_t next = 0;
  for (std::size_t i = 0; i + 1 < all.size() && next + 1 < wanted.size(); ++i)
    if (is_scope(all[i], wanted[next])) ++next;
  return next + 1 == wanted.size();
}

// Whether the text is the pattern, in which each "…" stands for any text.
bool is_cut_from(std::string_view text, std::string_view pattern) {
  const std::size_t first = pattern.find(kCut);
  if (!text.starts_with(pattern.substr(0, first))) return false;
  text.remove_prefix(first);
  for (pattern.remove_prefix(first + kCut.size());;) {
    const std::size_t next = pattern.find(kCut);
    if (next == pattern.npos) return text.ends_with(pattern);
    const std::size_t found = text.find(pattern.substr(0, next));
    if (found == text.npos) return false;
    text.remove_prefix(found + next);
    pattern.remove_prefix(next + kCut.size());
  }
}

// The name without what a compiler adds to a function of which it makes another version or a part:
// ".constprop.0", ".isra.0.cold", " [clone .cold]".
std::string_view without_suffix(std::string_view name) {
  std::size_t end = name.find(" [clone");
  for (const std::string_view suffix : {".constprop.", ".isra.", ".part.", ".cold", ".lto_priv."})
    end = std::min(end, name.find(suffix));
  return name.substr(0, end);
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

NameFit name_fit(std::string_view demangled, std::string_view asked) {
  asked = trimmed(asked);
  if (asked.empty()) return NameFit::none;
  const std::string bare = without_parameters(demangled);
  if (demangled == asked || bare == asked) return NameFit::whole;
  if (asked.find(kCut) != asked.npos)
    return is_cut_from(bare, asked) || is_cut_from(demangled, asked) ? NameFit::part
                                                                     : NameFit::none;
  // The name without its return type, but with its parameters.
  const std::size_t own = demangled.find(bare);
  for (const std::string_view name :
       {std::string_view(bare), demangled.substr(own == demangled.npos ? 0 : own)})
    if (has_scopes(without_suffix(name), asked)) return NameFit::part;
  // In names of Go, a dot separates the scopes: "main.(*Server).handle".
  return demangled.ends_with("." + std::string(asked)) && asked.front() > '9' ? NameFit::part
                                                                              : NameFit::none;
}

std::string own_name(std::string_view demangled) {
  const std::string bare = without_parameters(demangled);
  return without_arguments(scopes(without_suffix(bare)).back());
}

}  // namespace tacho::symbols

#include "report/json_reader.hpp"

namespace tacho {
namespace {

using nlohmann::json;

constexpr std::size_t kMostDepth = 16;

// Whether the text is small enough to be read. Looks only at the structure outside strings.
bool is_small(std::string_view text, std::size_t most_values) {
  std::size_t values = 0;
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == '[' || c == '{' || c == ',' || c == ':') ++values;
    if (depth > kMostDepth || values > most_values) return false;
  }
  return true;
}

}  // namespace

json parse_json(std::string_view text, std::size_t most_values) {
  if (!is_small(text, most_values)) return json(json::value_t::discarded);
  return json::parse(text, nullptr, /*allow_exceptions=*/false);
}

const json& member_of(const json& object, const char* key) {
  static const json null;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? null : *found;
}

std::string text_of(const json& object, const char* key) {
  const json& value = member_of(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<double> number_of(const json& object, const char* key) {
  const json& value = member_of(object, key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::uint64_t count_of(const json& object, const char* key) {
  const json& value = member_of(object, key);
  return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

}  // namespace tacho

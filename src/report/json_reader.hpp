// Reads JSON that comes from other programs: nothing in it is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tacho {

// Returns the value of a text. Returns a discarded value (is_discarded()) if the text is no JSON,
// has more than `most_values` values (each takes about 100 bytes in memory), or is nested deeper
// than 16.
nlohmann::json parse_json(std::string_view text, std::size_t most_values);

// A member of an object; null if there is none, or if this is no object.
const nlohmann::json& member_of(const nlohmann::json& object, const char* key);

// A member as a value of C++: empty, none or 0 if it has another type.
std::string text_of(const nlohmann::json& object, const char* key);
std::optional<double> number_of(const nlohmann::json& object, const char* key);
std::uint64_t count_of(const nlohmann::json& object, const char* key);

}  // namespace tacho

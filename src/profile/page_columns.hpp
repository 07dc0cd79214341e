// Lists of JSON, for the large ones of a page.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string>
#include <string_view>

namespace tacho {

// "name":[1,2,3]
template <class Numbers>
std::string json_column(std::string_view name, const Numbers& numbers) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "\"{}\":[{}]", name, fmt::join(numbers, ","));
  return fmt::to_string(text);
}

}  // namespace tacho

// Text without the line ends of its paragraphs.
#pragma once

#include <regex>
#include <string>

namespace tacho {

inline std::string unwrapped(const std::string& text) {
  return std::regex_replace(text, std::regex("\n +"), " ");
}

}  // namespace tacho

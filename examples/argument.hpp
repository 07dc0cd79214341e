// Reads the numeric arguments of the examples.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <system_error>

// Reads a number from `least` to `most` into `value`. If the text is no such number, prints an
// error and returns false.
inline bool parsed(const char* program, const char* text, std::uint64_t least, std::uint64_t most,
                   std::uint64_t& value) {
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error == std::errc{} && stop == end && value >= least && value <= most) return true;
  std::fprintf(stderr, "%s: bad argument '%s': give a number from %llu to %llu\n", program, text,
               static_cast<unsigned long long>(least), static_cast<unsigned long long>(most));
  return false;
}

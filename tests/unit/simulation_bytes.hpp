// Writes the simulator's records from their description in docs/explanation/simulator.md,
// independently of the code that reads them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tacho::simulated_bytes {

inline std::string word(std::uint32_t value) {
  std::string text;
  for (int i = 0; i < 4; ++i, value /= 256) text += static_cast<char>(value % 256);
  return text;
}

inline std::string batch(std::uint32_t process, std::uint32_t kind, std::string_view body) {
  return "TSR1" + word(process) + word(kind) + word(static_cast<std::uint32_t>(body.size())) +
         std::string(body);
}

inline std::string columns(std::uint32_t process, std::initializer_list<std::string_view> names) {
  std::string body;
  for (const std::string_view name : names) body += std::string(name) + '\0';
  return batch(process, 1, body);
}

inline std::string number(std::uint64_t value) {
  std::string text;
  for (; value >= 128; value /= 128) text += static_cast<char>(value % 128 + 128);
  return text + static_cast<char>(value);
}

inline std::string slices(std::uint32_t process, std::initializer_list<std::uint64_t> counts) {
  std::string body;
  for (const std::uint64_t count : counts) body += number(count);
  return batch(process, 2, body);
}

inline std::string end(std::uint32_t process) {
  return batch(process, 4, "");
}

}  // namespace tacho::simulated_bytes

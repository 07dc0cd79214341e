// What a simulation that samples tells of a slice, decoded (docs/explanation/simulator.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/records.hpp"

namespace tacho {

// Numbers and texts one behind the other. After damage all that it yields is 0 or empty.
class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number();                    // unsigned LEB128
  std::uint64_t number(std::uint64_t most);  // beyond it is damage
  std::string text(std::uint64_t most);      // its length, then its bytes
  std::size_t at() const { return at_; }     // of the bytes: all before is read
  const std::optional<std::string>& damage() const { return damage_; }

 private:
  std::uint64_t damaged(std::string reason);

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::optional<std::string> damage_;
};

// Up to the end of what happened; behind it stand the slice's counts.
std::vector<Happening> read_happenings(NumberReader& reader);

}  // namespace tacho

// Decodes the trace of a slice of a simulation that samples (docs/explanation/simulator.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/slice.hpp"

namespace tacho {

// Reads numbers and texts in sequence. After damage, it returns only 0 and empty texts.
class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number();                    // unsigned LEB128
  std::uint64_t number(std::uint64_t most);  // a greater number is damage
  std::string text(std::uint64_t most);      // its length, then its bytes
  std::size_t at() const { return at_; }     // how many bytes have been read
  const std::optional<std::string>& damage() const { return damage_; }

 private:
  std::uint64_t damaged(std::string reason);

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::optional<std::string> damage_;
};

// Reads the whole trace of a slice. The slice's counts follow it.
std::vector<TraceRecord> read_trace(NumberReader& reader);

}  // namespace tacho

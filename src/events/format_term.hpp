// The bits of a config word that a term of a PMU's format sets: `event` is `config:0-7,32-35`.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// The words of struct perf_event_attr that the formats of PMUs refer to.
inline constexpr std::array<std::string_view, 4> kConfigWords = {"config", "config1", "config2",
                                                                 "config3"};

struct FormatTerm {
  struct Bits {
    unsigned first;
    unsigned last;  // inclusive, at most 63
  };
  unsigned word = 0;       // 0 for config, 1 to 3 for config1 to config3
  std::vector<Bits> bits;  // the value's low bits go into the first range

  unsigned width() const;          // of the value, 1 to 64 bits
  std::uint64_t greatest() const;  // the greatest value that fits
  // Sets the value's bits in the event's word. The value must not be above greatest().
  void set(std::uint64_t value, Event& event) const;
};

// Reads the text of a format file. The error has only the reason; the caller adds the file.
Result<FormatTerm> parse_format(std::string_view text);

// The event's config word of that number, 0 to 3.
std::uint64_t& config_word(Event& event, unsigned word);

// The whole text as a number, decimal or 0x…. The error has only the reason.
Result<std::uint64_t> parse_number(std::string_view text);

}  // namespace tacho

#include "caliper/note_rates.hpp"

#include <fmt/format.h>

namespace tacho::caliper {
namespace {

// A count per byte can be a very small number.
std::string text_of(double rate, const NumberStyle& style) {
  constexpr double kSmall = 0.1;
  return rate < kSmall ? fmt::format("{:.2g}", rate) : brief(rate, style);
}

}  // namespace

std::vector<NoteRate> note_rates(std::span<const QuantityTotal> quantities, double ticks_hz,
                                 const NumberStyle& style) {
  std::vector<NoteRate> rates;
  for (const QuantityTotal& note : quantities) {
    if (!note.noted || note.total.value_or(0) <= 0) continue;
    for (const QuantityTotal& other : quantities) {
      if (other.noted || other.total.value_or(0) <= 0) continue;
      if (&other == quantities.data())
        rates.push_back(
            {note.name + "/s", text_of(*note.total / (*other.total / ticks_hz), style)});
      else if (note.in_all)
        rates.push_back({other.name + "/" + note.name, text_of(*other.total / *note.total, style)});
    }
  }
  return rates;
}

}  // namespace tacho::caliper

#include "pmu/registers/virtual_counter.hpp"

namespace tacho::arm {

std::string_view to_string(Doubtful doubtful) {
  return doubtful == Doubtful::overrun ? "a counter overflowed more than once"
                                       : "somebody else wrote to a counter";
}

std::expected<std::uint64_t, Doubtful> gained(std::uint64_t last, std::uint64_t now,
                                              bool overflowed, unsigned bits) {
  const bool fell = now < last;
  if (bits == 64) {
    if (fell) return std::unexpected(Doubtful::written);
    return now - last;
  }
  if (fell && !overflowed) return std::unexpected(Doubtful::written);
  if (!fell && overflowed) return std::unexpected(Doubtful::overrun);
  return fell ? (std::uint64_t{1} << bits) - last + now : now - last;
}

}  // namespace tacho::arm

// Distribution: sketches that were added up, and their quantiles. Also as text, so that processes
// can be added up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "caliper/sketch.hpp"

namespace tacho::caliper {

// The counts of one or several sketches. It takes 16 bytes for each bucket that has values.
class Distribution {
 public:
  // Adds the sketch's buckets from that of `minimum` to that of `maximum`.
  void add(const Sketch& sketch, std::uint64_t minimum, std::uint64_t maximum);
  void add(std::span<const std::uint64_t> values);
  void add(const Distribution& more);
  bool empty() const noexcept { return buckets_.empty(); }
  std::size_t size() const noexcept { return buckets_.size(); }
  // For each bucket the distance from the one before and the count: "812 3 1 5" has three values in
  // bucket 812 and five in 813. parse() reads it, and has no value for any other text.
  std::string text() const;
  static std::optional<Distribution> parse(std::string_view text);
  // The value that the part `q` (0 to 1) of all values does not exceed; 0 if there are none.
  double quantile(double q) const noexcept;

 private:
  struct Bucket {
    std::size_t number = 0;
    std::uint64_t count = 0;
  };

  std::vector<Bucket> buckets_;  // by number
};

}  // namespace tacho::caliper

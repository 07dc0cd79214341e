// Sketch: the distribution of a region's values in constant memory. It is DDSketch (C. Masson, J.
// E. Rim, H. K. Lee, PVLDB 12 (2019)) with the logarithm interpolated linearly within an octave. So
// the leading bits of a value are the number of its bucket. One thread adds values while others
// read.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tacho::caliper {

// A number that one thread changes and all threads read.
template <class Number>
class Cell {
 public:
  Number get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void set(Number value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(Number more) noexcept { set(get() + more); }

 private:
  std::atomic<Number> value_{0};
};

class Sketch {
 public:
  // There are 64 buckets for each octave. The middle of a bucket differs from its values by at most
  // 1/128. Each value below 128 has its own bucket.
  static constexpr unsigned kOctaveBits = 6;
  static constexpr std::uint64_t kExact = std::uint64_t{2} << kOctaveBits;
  static constexpr std::size_t kBuckets = (std::size_t{64 - kOctaveBits} + 1) << kOctaveBits;

  static constexpr std::size_t bucket_of(std::uint64_t value) noexcept {
    const auto octave = static_cast<unsigned>(std::bit_width(value | (kExact - 1))) -
                        (kOctaveBits + 1);  // 0 for the exact ones
    return (std::size_t{octave} << kOctaveBits) + static_cast<std::size_t>(value >> octave);
  }
  // The value that represents all values of a bucket.
  static constexpr double middle_of(std::size_t bucket) noexcept {
    if (bucket < kExact) return static_cast<double>(bucket);
    const auto octave = static_cast<unsigned>(bucket >> kOctaveBits) - 1;
    const std::uint64_t lead = bucket - (std::size_t{octave} << kOctaveBits);
    const std::uint64_t width = std::uint64_t{1} << octave;
    return static_cast<double>(lead << octave) + static_cast<double>(width - 1) / 2;
  }

  [[gnu::always_inline]] void add(std::uint64_t value) noexcept {
    Cell<std::uint32_t>& cell = buckets_[bucket_of(value)];
    if (cell.get() == std::numeric_limits<std::uint32_t>::max()) halve();
    cell.add(1);
  }

  // Causes the page faults of the first 990 buckets now.
  void touch() noexcept {
    for (const std::size_t bucket : {std::size_t{0}, std::size_t{990}}) buckets_[bucket].set(0);
  }

  // `minimum` and `maximum` are those of the values.
  void clear(std::uint64_t minimum, std::uint64_t maximum) noexcept {
    for (std::size_t i = bucket_of(minimum); i <= bucket_of(maximum); ++i) buckets_[i].set(0);
  }

  std::uint32_t count_of(std::size_t bucket) const noexcept { return buckets_[bucket].get(); }

 private:
  // Called when a bucket is full, after four billion executions. Quantiles only need proportions.
  void halve() noexcept {
    for (Cell<std::uint32_t>& cell : buckets_) cell.set(cell.get() / 2 + cell.get() % 2);
  }

  std::array<Cell<std::uint32_t>, kBuckets> buckets_{};
};

}  // namespace tacho::caliper

// A digest of bytes that come in pieces. Equal bytes have equal digests, however they are cut into
// pieces, on every run of tacho on one machine. Different bytes have different digests, but for one
// chance in 2^64. It is no protection against somebody who looks for two outputs with one digest.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/hash_seed.hpp"

namespace tacho {

class OutputDigest {
 public:
  void add(std::string_view piece) {
    std::size_t at = 0;
    while (at < piece.size() && bytes_ % kWord != 0) add_byte(piece[at++]);
    for (; piece.size() - at >= kWord; at += kWord, bytes_ += kWord) {
      std::uint64_t word = 0;
      std::memcpy(&word, piece.data() + at, kWord);
      state_ = mixed(state_ ^ word);
    }
    while (at < piece.size()) add_byte(piece[at++]);
  }

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t value() const {
    return mixed(mixed(state_ ^ std::bit_cast<std::uint64_t>(begun_)) ^ bytes_);
  }

 private:
  static constexpr std::size_t kWord = sizeof(std::uint64_t);

  void add_byte(char byte) {
    begun_[static_cast<std::size_t>(bytes_ % kWord)] = byte;
    if (++bytes_ % kWord != 0) return;
    state_ = mixed(state_ ^ std::bit_cast<std::uint64_t>(begun_));
    begun_ = {};
  }

  std::uint64_t state_ = 0x9e3779b97f4a7c15U;  // not 0, the hash of which is 0
  std::array<char, kWord> begun_{};            // the word of which some bytes have come
  std::uint64_t bytes_ = 0;
};

}  // namespace tacho

// Gives each distinct value a number, in the order in which the values come (interning).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/hash_seed.hpp"

namespace tacho {

// The values are in a vector; a hash table with open addressing has their indices. It takes a
// quarter of the memory of a std::unordered_map, and one cache line per look-up. `Hash` must return
// 64 well-mixed bits, such as hashed().
template <class Value, class Hash>
class NumberedValues {
 public:
  // The number of the value. A value that is not known yet gets a new number.
  std::uint32_t number(const Value& value) { return number(value, Hash()(value)); }
  // The same for a key that a Value can be compared with and constructed from.
  template <class Key>
  std::uint32_t number(const Key& value, std::uint64_t hash) {
    if (2 * (values_.size() + 1) > slots_.size()) grow();
    std::size_t slot = place(hash);
    for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1))
      if (values_[slots_[slot]] == value) return slots_[slot];
    slots_[slot] = static_cast<std::uint32_t>(values_.size());
    values_.emplace_back(value);
    return slots_[slot];
  }
  // The number of a value that has one.
  std::optional<std::uint32_t> find(const Value& value) const {
    if (slots_.empty()) return std::nullopt;
    std::size_t slot = place(Hash()(value));
    for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1))
      if (values_[slots_[slot]] == value) return slots_[slot];
    return std::nullopt;
  }
  const std::vector<Value>& values() const { return values_; }
  // For changes to members that neither the comparison nor the hash uses.
  Value& at(std::uint32_t number) { return values_[number]; }

  // Prefetching: each look-up in a table larger than the caches waits for memory. For many
  // look-ups, first call ask_for() for all hashes, then ask_for_likely() for all, then number().
  // Always inlined: GCC removes calls of a function that only prefetches, because it seems to have
  // no effect.
  [[gnu::always_inline]] void ask_for(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[place(hash)]);
  }
  [[gnu::always_inline]] void ask_for_likely(std::uint64_t hash) const {
    if (slots_.empty()) return;
    const std::uint32_t number = slots_[place(hash)];
    if (number != kNone) __builtin_prefetch(&values_[number]);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::size_t place(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash) & (slots_.size() - 1);
  }

  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, kNone);
    for (std::uint32_t i = 0; i < values_.size(); ++i) {
      std::size_t slot = place(Hash()(values_[i]));
      while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = i;
    }
  }

  std::vector<Value> values_;
  std::vector<std::uint32_t> slots_;  // a power of two; at most half of them are used
};

}  // namespace tacho

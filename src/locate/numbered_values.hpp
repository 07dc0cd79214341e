// Gives each distinct value a number, in the order in which the values come (interning).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/hash_seed.hpp"

namespace tacho {

// The values are in a vector; a hash table with open addressing has their indices. It takes a
// quarter of the memory of a std::unordered_map, and one cache line per look-up. The bits of a slot
// that its index does not need are bits of the value's hash: they tell most other values apart, so
// that a look-up in a table larger than the caches waits for one value only. `Hash` must return 64
// well-mixed bits, such as hashed().
template <class Value, class Hash>
class NumberedValues {
 public:
  // The number of the value. A value that is not known yet gets a new number.
  std::uint32_t number(const Value& value) { return number(value, Hash()(value)); }
  // The same for a key that a Value can be compared with and constructed from.
  template <class Key>
  std::uint32_t number(const Key& value, std::uint64_t hash) {
    if (2 * (values_.size() + 1) > slots_.size()) grow();
    const std::size_t slot = slot_of(value, hash);
    if (slots_[slot] != kNone) return number_in(slots_[slot]);
    const auto number = static_cast<std::uint32_t>(values_.size());
    slots_[slot] = number | tag(hash);
    values_.emplace_back(value);
    return number;
  }
  // The number of a value that has one.
  std::optional<std::uint32_t> find(const Value& value) const {
    if (slots_.empty()) return std::nullopt;
    const std::uint32_t found = slots_[slot_of(value, Hash()(value))];
    return found == kNone ? std::nullopt : std::optional(number_in(found));
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
    const std::uint32_t found = slots_[place(hash)];
    if (found != kNone) __builtin_prefetch(&values_[number_in(found)]);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::size_t place(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash) & (slots_.size() - 1);
  }
  // A slot has the number in its low bits, which are all set for no number only: there are at most
  // half as many numbers as slots. The bits above are the tag.
  std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size() - 1); }
  std::uint32_t number_in(std::uint32_t slot) const { return slot & mask(); }
  std::uint32_t tag(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(hash >> 32) & ~mask();
  }
  // The slot of the value, or the empty one that it would get.
  template <class Key>
  std::size_t slot_of(const Key& value, std::uint64_t hash) const {
    std::size_t slot = place(hash);
    while (slots_[slot] != kNone &&
           !((slots_[slot] & ~mask()) == tag(hash) && values_[number_in(slots_[slot])] == value))
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, kNone);
    for (std::uint32_t i = 0; i < values_.size(); ++i) {
      const std::uint64_t hash = Hash()(values_[i]);
      std::size_t slot = place(hash);
      while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = i | tag(hash);
    }
  }

  std::vector<Value> values_;
  std::vector<std::uint32_t> slots_;  // a power of two; at most half of them are used
};

}  // namespace tacho

// Values that are given numbers: each once, in the order in which they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacho {

// Well-mixed bits of a word (splitmix64's finisher).
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// A hash table of indices into the vector of the values themselves, with open addressing: a quarter
// of a std::unordered_map's memory, and one cache line a look-up. `Hash` gives 64 well-mixed bits.
template <class Value, class Hash>
class NumberedValues {
 public:
  // The number of the value, which is new when it has not come yet.
  std::uint32_t number(const Value& value) { return number(value, Hash()(value)); }
  // The same of what it can be compared with and made of.
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
  const std::vector<Value>& values() const { return values_; }
  // For what of a value is not compared, and its hash does not depend on.
  Value& at(std::uint32_t number) { return values_[number]; }

  // Of a table that no cache holds, each look-up waits for memory: for many of them at once, first
  // ask for the places of all, then for the values that stand there. Always inlined: GCC takes a
  // function that does nothing but prefetch for one without effect, and leaves its calls out.
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
  std::vector<std::uint32_t> slots_;  // a power of two of them, at most half of which are taken
};

}  // namespace tacho

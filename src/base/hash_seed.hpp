// A random number of this process. Hashes and shapes of trees depend on it, so that nobody can make
// an input whose values all collide. No result may depend on it.
#pragma once

#include <sys/auxv.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tacho {

// The kernel gives each program 16 random bytes (getauxval(3), AT_RANDOM).
inline std::uint64_t random_of_process() {
  std::uint64_t seed = 0x9e3779b97f4a7c15U;
  if (const unsigned long place = ::getauxval(AT_RANDOM); place != 0)
    std::memcpy(&seed, reinterpret_cast<const void*>(place), sizeof seed);  // NOLINT: an address
  return seed;
}
inline const std::uint64_t kHashSeed = random_of_process();

// A hash of a word with well-mixed bits (the finalizer of splitmix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// Hashes that differ from run to run: of a word, and of two.
inline std::uint64_t hashed(std::uint64_t a) {
  return mixed(a ^ kHashSeed);
}
inline std::uint64_t hashed(std::uint64_t a, std::uint64_t b) {
  return mixed(hashed(a) ^ b);
}

// For a std::unordered_map whose keys are numbers that come from a file.
struct NumberHash {
  template <class Number>
  std::size_t operator()(Number number) const {
    return static_cast<std::size_t>(hashed(static_cast<std::uint64_t>(number)));
  }
};

}  // namespace tacho

// chase: steps through a linked list in random order; each step takes the latency of one access.
//
//   chase [bytes [steps]]   bytes from 64 to 1073741824, 1048576 if left out;
//                           steps from 1 to 10000000000, 10000000 if left out
//
// The list has one element in each 64 bytes and visits all elements, in the same order in every
// run. Each step loads the address of the next element, so a step can't begin before the one before
// has ended: its time is the latency of the cache or memory that holds the list. The number of
// steps is rounded up to a multiple of 16.
//
// What to look for in the machine code, with
//   objdump -d --no-show-raw-insn -M intel build/release/examples/chase
// (x86-64, function chase): the loop has sixteen loads, each from the address that the one before
// has loaded, and the counter of rounds.
//
// The regions belong to self-chase; in chase they compile to nothing.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "argument.hpp"
#include "tacho/caliper.hpp"

namespace {

struct alignas(64) Element {
  const Element* next;
};

// noinline: so that every profile has a row for this function.
[[gnu::noinline]] const Element* chase(const Element* at, std::uint64_t rounds) {
#define STEP at = at->next;
#define FOUR_STEPS STEP STEP STEP STEP
  for (; rounds != 0; --rounds) {
    FOUR_STEPS FOUR_STEPS FOUR_STEPS FOUR_STEPS
  }
  return at;
}

// One cycle through all elements; every order has the same probability (S. Sattolo, Information
// Processing Letters 22, 1986).
std::vector<Element> random_cycle(std::size_t count) {
  TACHO_REGION("initialisation");
  std::vector<Element> list(count);
  for (Element& each : list) each.next = &each;
  std::uint64_t random = 1;  // Knuth's MMIX generator; only its high bits are used, which are good
  for (std::size_t left = count; --left > 0;) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    std::swap(list[left].next, list[static_cast<std::size_t>(random >> 33) % left].next);
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t bytes = 1 << 20, steps = 10'000'000;
  if (argc > 1 && !parsed("chase", argv[1], sizeof(Element), 1 << 30, bytes)) return 2;
  if (argc > 2 && !parsed("chase", argv[2], 1, 10'000'000'000, steps)) return 2;
  if (argc > 3) {
    std::fprintf(stderr, "chase: unexpected argument '%s'\n", argv[3]);
    return 2;
  }
  const std::vector<Element> list = random_cycle(static_cast<std::size_t>(bytes / sizeof(Element)));
  steps = (steps + 15) / 16 * 16;
  const Element* last = nullptr;
  {
    TACHO_REGION("chase");
    last = chase(list.data(), steps / 16);
  }
  std::printf("chase: %zu elements, %llu steps, ended at element %td\n", list.size(),
              static_cast<unsigned long long>(steps), last - list.data());
  return 0;
}

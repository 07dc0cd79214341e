// late_data KIND KIB STEPS: loops over memory whose loads need each other, or do not.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

namespace {

// A line of memory.
struct alignas(64) Node {
  Node* next;
  long key;
};

volatile long sink;

// A list through all nodes, in a random order.
Node* linked(std::vector<Node>& nodes) {
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::minstd_rand(1));
  for (std::size_t i = 0; i < order.size(); ++i)
    nodes[order[i]] = {&nodes[order[(i + 1) % order.size()]], 1};
  return &nodes[order[0]];
}

void follow(std::vector<Node>& nodes, long steps) {
  const Node* at = linked(nodes);
  for (; steps > 0; --steps) at = at->next;
  sink = at->key;
}

// The key comes from the line first, and the way to the next line from there, too.
void sum_keys(std::vector<Node>& nodes, long steps) {
  const Node* at = linked(nodes);
  long sum = 0;
  for (; steps > 0; --steps) {
    sum += at->key;
    at = at->next;
  }
  sink = sum;
}

// No load needs another one.
void load_at_random(std::vector<Node>& nodes, long steps) {
  linked(nodes);
  std::uint64_t state = 88172645463325252;
  long sum = 0;
  for (; steps > 0; --steps) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    sum += nodes[static_cast<std::size_t>(state % nodes.size())].key;
  }
  sink = sum;
}

// A sum in a loop with a condition that never holds, so that the loop consists of two code runs.
void sum_with_a_condition(std::vector<Node>&, [[maybe_unused]] long steps) {
  double sum = 0, more = 1.5;
  long never = -1, odd = 0;
  asm volatile("" : "+r"(never));  // the compiler does not know it
#if defined(__x86_64__)
  for (; steps > 0; --steps) {
    asm volatile("addsd %1, %0" : "+x"(sum) : "x"(more));
    if (steps == never) [[unlikely]] {
      asm volatile("");  // a branch, not a conditional move
      ++odd;
    }
  }
#endif
  sink = static_cast<long>(sum) + odd + static_cast<long>(more);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string_view kind = argv[1];
  std::vector<Node> nodes(std::strtoul(argv[2], nullptr, 10) * 1024 / sizeof(Node));
  const long steps = std::atol(argv[3]);
  if (kind == "list")
    follow(nodes, steps);
  else if (kind == "keys")
    sum_keys(nodes, steps);
  else if (kind == "random")
    load_at_random(nodes, steps);
  else if (kind == "condition")
    sum_with_a_condition(nodes, steps);
  else
    return 2;
}

// Handles packets with many checks that hardly ever hold. The compiler doesn't know that, so it
// puts the code for these cases between the checks, and the usual packet jumps over each of them. A
// profile of branches lets an optimiser move them away. rare_paths ROUNDS prints a checksum.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct Packet {
  std::uint32_t length, age, priority, source, payload;
};

std::uint32_t next_random(std::uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

[[gnu::noinline]] void report(const char* what, std::uint32_t value) {
  if (value == 0x5eed) std::puts(what);
}

[[gnu::noinline]] std::uint32_t handle(const Packet& packet, std::uint32_t sum) {
  std::uint32_t payload = packet.payload;
  if (packet.length < 20) {
    for (std::uint32_t i = packet.length; i < 20; ++i) payload ^= payload << 3;
    report("short", payload);
  }
  if (packet.length > 1500) {
    for (int bit = 3; bit < 12; ++bit) payload ^= payload >> bit;
    report("long", payload);
  }
  if (packet.age > 990) {
    for (int bit = 2; bit < 9; ++bit) sum += sum << bit;
    report("old", sum);
  }
  if (packet.priority > 995) {
    for (int bit = 1; bit < 15; bit += 2) payload -= payload >> bit;
    report("urgent", payload);
  }
  if (packet.source < 5) {
    for (int bit = 4; bit < 13; ++bit) sum ^= sum >> bit;
    report("local", sum);
  }
  if (sum < 1000) {
    for (int bit = 5; bit < 16; bit += 3) sum -= payload << bit;
    report("overflow", sum);
  }
  return sum * 31 + payload;
}

[[gnu::noinline]] std::uint32_t handle_all(const std::vector<Packet>& packets, int rounds) {
  std::uint32_t sum = 1;
  for (int round = 0; round < rounds; ++round)
    for (const Packet& each : packets) sum = handle(each, sum);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t state = 2463534242;
  std::vector<Packet> packets(2000);
  for (Packet& each : packets)
    each = {15 + next_random(state) % 1490, next_random(state) % 1000, next_random(state) % 1000,
            next_random(state) % 1000, next_random(state)};
  std::printf("%u\n", handle_all(packets, argc > 1 ? std::atoi(argv[1]) : 100));
}

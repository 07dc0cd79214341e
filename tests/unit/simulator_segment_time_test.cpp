// The time of code runs on an out-of-order core: the bounds of ports and dependences are compared
// with brute force on random code, and some x86-64 instructions with what Intel's manual says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <vector>

extern "C" {
#include "segment_time.h"
#include "trace.h"
}

namespace tacho::simulator::TEST_FILE {
namespace {

using Random = std::mt19937;

std::uint64_t below(Random& random, std::uint64_t bound) {
  return random() % bound;
}

model with_latencies(Random& random) {
  model m{};
  m.width = 4;
  m.l1d.latency = 4;
  for (operation_model& each : m.operations) each = {below(random, 7), 1, {}};
  return m;
}

instruction simple(unsigned operation, std::uint64_t reads, std::uint64_t writes) {
  instruction i{};
  i.operation = static_cast<std::uint8_t>(operation);
  i.reads = reads;
  i.writes = writes;
  i.changed = i.from = i.address.base = i.address.index = -1;
  return i;
}

// When all values of so many rounds are ready.
std::uint64_t executed(const model& m, const std::vector<instruction>& code, unsigned rounds) {
  std::array<std::uint64_t, REGISTERS> ready{};
  for (unsigned round = 0; round < rounds; ++round)
    for (const instruction& i : code) {
      std::uint64_t at = 0;
      bool depends = false;
      for (unsigned r = 0; r < REGISTERS; ++r)
        if ((i.reads >> r & 1) != 0) {
          at = std::max(at, ready[r]);
          depends = true;
        }
      for (unsigned r = 0; r < REGISTERS; ++r)
        if ((i.writes >> r & 1) != 0)
          ready[r] = depends ? at + m.operations[i.operation].latency : 0;
    }
  return *std::ranges::max_element(ready);
}

TEST(SimulatorSegmentTime, RoundsTakeAsLongAsExecutingManyOfThem) {
  constexpr unsigned kRounds = 2520;  // a multiple of 1 to 10: cycles of more registers are rare
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const model m = with_latencies(random);
    std::vector<instruction> code;
    for (std::uint64_t n = 1 + below(random, 12); n > 0; --n) {
      const std::uint64_t first = below(random, 6);
      const std::uint64_t second = below(random, 6);
      code.push_back(simple(static_cast<unsigned>(below(random, OPERATION_COUNT)),
                            BIT(first) | BIT(second), BIT(below(random, 6))));
    }
    segment_time_begin(&m);
    for (const instruction& i : code) segment_time_add(&i, 0);
    unsigned last = 0;
    const double time = segment_time_waiting(&last) / double{PARTS_PER_CYCLE};
    const auto rounds =
        static_cast<double>(executed(m, code, 2 * kRounds) - executed(m, code, kRounds));
    EXPECT_NEAR(time, rounds / kRounds, 0.005) << seed;
    EXPECT_LT(last, code.size());
  }
}

TEST(SimulatorSegmentTime, PortsAreBoundByTheirBusiestSet) {
  constexpr unsigned kPorts = 6;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random random(seed);
    model m{};
    m.width = 8;
    for (operation_model& each : m.operations)
      for (std::uint64_t use = below(random, 3); use > 0; --use)
        each.uses[use - 1] = {1 + below(random, (1U << kPorts) - 1), 1 + below(random, 4)};
    std::array<std::uint64_t, 1U << kPorts> busy{};
    segment_time_begin(&m);
    for (std::uint64_t n = 1 + below(random, 30); n > 0; --n) {
      const instruction i = simple(static_cast<unsigned>(below(random, OPERATION_COUNT)), 0, 0);
      segment_time_add(&i, 0);
      for (const auto& use : m.operations[i.operation].uses) busy[use.ports] += use.cycles;
    }
    double longest = 0;
    for (unsigned set = 1; set < busy.size(); ++set) {
      std::uint64_t cycles = 0;
      for (unsigned ports = 1; ports < busy.size(); ++ports)
        if ((ports & ~set) == 0) cycles += busy[ports];
      longest = std::max(longest, static_cast<double>(cycles) / std::popcount(set));
    }
    const double time = segment_time_executing() / double{PARTS_PER_CYCLE};
    if (time > 30.0 / 8) {
      EXPECT_NEAR(time, longest, 0.01) << seed;
    }
    EXPECT_GE(time, longest - 0.01) << seed;
  }
}

// ---- x86-64 ----

using Bytes = std::vector<std::uint8_t>;

instruction decoded(const Bytes& bytes) {
  instruction i;
  x86_decode(bytes.data(), static_cast<unsigned>(bytes.size()), 0x1000, &i);
  return i;
}

// A core on which loads take 4 cycles, stores reach loads after 5, and the rest takes 1.
model plain() {
  model m{};
  m.width = 4;
  m.l1d.latency = 4;
  m.fuses_memory = m.fuses_branches = 1;
  for (operation_model& each : m.operations) each = {1, 1, {}};
  for (const unsigned none : {OPERATION_none, OPERATION_move, OPERATION_zero, OPERATION_load,
                              OPERATION_load_chained, OPERATION_load_vector})
    m.operations[none].latency = 0;
  m.operations[OPERATION_none].slots = 0;
  m.operations[OPERATION_forward].latency = 5;
  m.operations[OPERATION_forward_blocked].latency = 13;
  return m;
}

// Cycles for which the rounds of a loop of this code wait, and the instructions' issue slots.
struct Time {
  double waiting, issuing;
};
Time time_of(const std::vector<Bytes>& code) {
  const model m = plain();
  segment_time_begin(&m);
  for (const Bytes& each : code) {
    const instruction i = decoded(each);
    segment_time_add(&i, 0);
  }
  unsigned last = 0;
  return {segment_time_waiting(&last) / double{PARTS_PER_CYCLE},
          4 * segment_time_executing() / double{PARTS_PER_CYCLE}};
}

const Bytes kAdd = {0x48, 0x01, 0xd8};            // add %rbx, %rax
const Bytes kXor = {0x31, 0xc0};                  // xor %eax, %eax
const Bytes kLoad = {0x48, 0x8b, 0x00};           // mov (%rax), %rax
const Bytes kStore = {0x48, 0x89, 0x43, 0x08};    // mov %rax, 8(%rbx)
const Bytes kReload = {0x48, 0x8b, 0x43, 0x08};   // mov 8(%rbx), %rax
const Bytes kAdvance = {0x48, 0x83, 0xc3, 0x08};  // add $8, %rbx
const Bytes kCompare = {0x48, 0x39, 0xd8};        // cmp %rbx, %rax
const Bytes kJump = {0x75, 0x00};                 // jne

TEST(SimulatorSegmentTime, ResultsAreWaitedForButNotAfterAZeroIdiom) {
  EXPECT_EQ(time_of({kAdd}).waiting, 1);
  EXPECT_EQ(time_of({kAdd, kAdd}).waiting, 2);
  EXPECT_EQ(time_of({kXor, kAdd}).waiting, 0);
  EXPECT_EQ(time_of({kLoad}).waiting, 4);
  EXPECT_EQ(time_of({kLoad, kAdd}).waiting, 5);
}

TEST(SimulatorSegmentTime, FlagsAreFollowedApartFromTheCarry) {
  const Bytes increment = {0x48, 0xff, 0xc1};       // inc %rcx: does not write the carry
  const Bytes add_with_carry = {0x48, 0x11, 0xda};  // adc %rbx, %rdx
  const Bytes select = {0x48, 0x0f, 0x44, 0xc1};    // cmove %rcx, %rax
  EXPECT_EQ(time_of({add_with_carry}).waiting, 1);
  EXPECT_EQ(time_of({add_with_carry, increment}).waiting, 1);
  EXPECT_EQ(time_of({kCompare, select}).waiting, 2);  // rax, compared, selected
}

TEST(SimulatorSegmentTime, ALoadTakesItsValueFromTheStoreBeforeIt) {
  EXPECT_EQ(time_of({kReload, kAdd, kStore}).waiting, 1 + 5);
  EXPECT_EQ(time_of({kReload, kAdd, kStore, kAdvance}).waiting, 1);
  // It stores at 8(%rbx), and loads 8 bytes lower once %rbx has grown by 8.
  const Bytes lower = {0x48, 0x8b, 0x03};  // mov (%rbx), %rax
  EXPECT_EQ(time_of({lower, kAdd, kStore, kAdvance}).waiting, 1 + 5);
  const Bytes narrow = {0x88, 0x43, 0x09};  // mov %al, 9(%rbx)
  EXPECT_EQ(time_of({kReload, kAdd, narrow}).waiting, 1 + 13);
  EXPECT_EQ(time_of({narrow, kReload, kXor}).waiting, 13);  // stores leave the core in order
}

TEST(SimulatorSegmentTime, MicroOperationsFuse) {
  const Bytes memory = {0x48, 0x03, 0x43, 0x08};  // add 8(%rbx), %rax
  const Bytes update = {0x48, 0x01, 0x43, 0x08};  // add %rax, 8(%rbx)
  EXPECT_EQ(time_of({kAdd}).issuing, 1);
  EXPECT_EQ(time_of({memory}).issuing, 1);
  EXPECT_EQ(time_of({kStore}).issuing, 1);
  EXPECT_EQ(time_of({update}).issuing, 2);
  EXPECT_EQ(time_of({kCompare, kJump}).issuing, 1);
  EXPECT_EQ(time_of({kCompare, kAdd, kAdd, kJump}).issuing, 3 + 1 - 1);  // add fuses too
  EXPECT_EQ(time_of({kLoad, kJump}).issuing, 2);
}

TEST(SimulatorSegmentTime, OperandsOfVectorsAreDecoded) {
  const instruction sum = decoded({0xc5, 0xe3, 0x58, 0xcc});  // vaddsd %xmm4, %xmm3, %xmm1
  EXPECT_EQ(sum.reads, BIT(VECTORS + 3) | BIT(VECTORS + 4));
  EXPECT_EQ(sum.writes, BIT(VECTORS + 1));
  EXPECT_EQ(sum.operation, OPERATION_float_add);
  const instruction product = decoded({0xc4, 0xe2, 0xe1, 0xb9, 0x0c, 0x8b});
  EXPECT_EQ(product.reads, BIT(VECTORS + 3) | BIT(VECTORS + 1));  // vfmadd231sd (%rbx,%rcx,4)
  EXPECT_EQ(product.loads, 1);
  EXPECT_EQ(product.address.base, 3);
  EXPECT_EQ(product.address.index, 1);
  EXPECT_EQ(product.address.scale, 4);
  const instruction load = decoded({0xf3, 0x0f, 0x10, 0x07});  // movss (%rdi), %xmm0
  EXPECT_EQ(load.reads, 0U);
  EXPECT_EQ(load.bytes, 4);
}

TEST(SimulatorSegmentTime, AnyBytesAreDecodedWithoutHarm) {
  Random random(1);
  for (int n = 0; n < 200'000; ++n) {
    Bytes bytes(1 + below(random, 15));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    const instruction i = decoded(bytes);
    ASSERT_LT(i.operation, OPERATION_COUNT);
    ASSERT_LT(i.address.base, 16);
    ASSERT_LT(i.address.index, 16);
    ASSERT_LT(i.changed, 16);
    ASSERT_EQ((i.reads | i.writes) >> REGISTERS, 0U);
  }
}

}  // namespace
}  // namespace tacho::simulator::TEST_FILE

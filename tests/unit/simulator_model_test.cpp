// The simulator's parser of the model file: it accepts every shipped model, and refuses everything
// that docs/explanation/simulator.md does not allow.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.hpp"
#include "simulation/model_file.hpp"
#include "simulation/simulator_input.hpp"
#include "simulator_reference.hpp"

namespace tacho::simulator::TEST_FILE {
namespace {

std::string shipped(const std::string& name) {
  const std::string path = std::string(TACHO_SOURCE_DIR) + "/data/models/" + name + ".toml";
  const auto model = parse_model(read_file(path).value(), path);
  return to_simulator_input(model.value(), 200, 1'000'000);
}

// The number of the line that is refused; 0: the file is accepted.
unsigned refused(const std::string& text) {
  model m{};
  return model_parse(text.data(), text.size(), &m);
}

constexpr unsigned kLines = 22 + OPERATION_COUNT;

std::string with_line(const std::string& text, unsigned number, const std::string& line) {
  std::size_t at = 0;
  for (; number > 1; --number) at = text.find('\n', at) + 1;
  return text.substr(0, at) + line + text.substr(text.find('\n', at));
}

TEST(SimulatorModel, EveryShippedModelIsAccepted) {
  for (const char* name : {"arm1176", "cachegrind", "cortex-a7", "cortex-a8", "cortex-a9",
                           "cortex-a53", "cortex-a72", "cortex-a76", "skylake"})
    EXPECT_EQ(refused(shipped(name)), 0U) << name;
}

TEST(SimulatorModel, EveryValueIsParsed) {
  std::string text = R"(tacho-model 4
frequency_hz 700000000
slice_ns 200 1000000
core 2 1 10
latency 1 2 4 5 6 7
fusion 1 0
window 224 12 56 2
cache l1i 16384 4 32 2 1 8 0
cache l1d 32768 8 64 1 0 9 0
cache l2 1048576 16 128 0 1 10 48
cache l3 14417920 11 256 0 0 11 18
memory 56
page 65536
prefetch 16 20 8
tlb itlb 10 10 0 1 12
tlb dtlb 24 3 0 2 13
tlb main 64 2 8 0 14
walk 60
branch 2 128 6 512 3 15
tage 1024 64
histories 5 12 27 64 128 0 0 0
)";
  unsigned number = 0;
  for (const OperationClass& each : kOperationClasses)
    text += fmt::format("operation {} {} 2 3 4 5 6 7 8 9 10 11 12 13 14\n", each.name, ++number);
  text += "end\n";
  model m{};
  ASSERT_EQ(model_parse(text.data(), text.size(), &m), 0U);
  EXPECT_EQ(m.frequency_hz, 700'000'000U);
  EXPECT_THAT(std::to_array({m.shortest_slice_ns, m.longest_slice_ns}),
              testing::ElementsAre(200, 1'000'000));
  EXPECT_THAT(std::to_array({m.width, m.in_order, m.store_percent}),
              testing::ElementsAre(2, 1, 10));
  EXPECT_THAT(
      std::to_array({m.latency.integer, m.latency.multiply, m.latency.divide, m.latency.float_add,
                     m.latency.float_multiply, m.latency.float_divide}),
      testing::ElementsAre(1, 2, 4, 5, 6, 7));
  EXPECT_THAT(
      std::to_array({m.window.instructions, m.window.misses, m.window.stores, m.window.walks}),
      testing::ElementsAre(224, 12, 56, 2));
  EXPECT_THAT(std::to_array({m.fuses_memory, m.fuses_branches}), testing::ElementsAre(1, 0));
  const operation_model& last = m.operations[OPERATION_complex];
  EXPECT_THAT(std::to_array({m.operations[OPERATION_none].latency, last.latency, last.slots,
                             last.uses[0].ports, last.uses[0].cycles, last.uses[5].ports,
                             last.uses[5].cycles}),
              testing::ElementsAre(1, OPERATION_COUNT, 2, 3, 4, 13, 14));
  const auto cache = [](const cache_model& c) {
    return std::to_array(
        {c.size, c.ways, c.line, c.replacement, c.write_allocate, c.latency, c.bandwidth});
  };
  EXPECT_THAT(cache(m.l1i), testing::ElementsAre(16384, 4, 32, REPLACE_RANDOM, 1, 8, 0));
  EXPECT_THAT(cache(m.l1d), testing::ElementsAre(32768, 8, 64, REPLACE_ROUND_ROBIN, 0, 9, 0));
  EXPECT_THAT(cache(m.l2), testing::ElementsAre(1048576, 16, 128, REPLACE_LRU, 1, 10, 48));
  EXPECT_THAT(cache(m.l3), testing::ElementsAre(14417920, 11, 256, REPLACE_LRU, 0, 11, 18));
  EXPECT_THAT(std::to_array({m.memory_latency, m.page, m.walk_latency}),
              testing::ElementsAre(56, 65536, 60));
  EXPECT_THAT(std::to_array({m.prefetch.streams, m.prefetch.distance, m.prefetch.line_cycles}),
              testing::ElementsAre(16, 20, 8));
  const auto tlb = [](const tlb_model& t) {
    return std::to_array({t.entries, t.ways, t.victims, t.replacement, t.latency});
  };
  EXPECT_THAT(tlb(m.itlb), testing::ElementsAre(10, 10, 0, REPLACE_ROUND_ROBIN, 12));
  EXPECT_THAT(tlb(m.dtlb), testing::ElementsAre(24, 3, 0, REPLACE_RANDOM, 13));
  EXPECT_THAT(tlb(m.main_tlb), testing::ElementsAre(64, 2, 8, REPLACE_LRU, 14));
  EXPECT_THAT(std::to_array({m.branch.direction, m.branch.entries, m.branch.history,
                             m.branch.targets, m.branch.returns, m.branch.mispredict}),
              testing::ElementsAre(DIRECTION_GSHARE, 128, 6, 512, 3, 15));
  EXPECT_THAT(std::to_array({m.tage.entries, m.tage.loops}), testing::ElementsAre(1024, 64));
  EXPECT_THAT(m.tage.histories, testing::ElementsAre(5, 12, 27, 64, 128, 0, 0, 0));
}

TEST(SimulatorModel, ATruncatedFileIsRefusedAtItsLastLine) {
  const std::string text = shipped("skylake");
  unsigned line = 1;
  for (std::size_t length = 0; length < text.size(); ++length) {
    ASSERT_EQ(refused(text.substr(0, length)), line) << length;
    line += text[length] == '\n';
  }
  EXPECT_EQ(line, kLines + 1);
}

TEST(SimulatorModel, AWrongLineIsRefusedWithItsNumber) {
  const std::string text = shipped("skylake");
  std::size_t at = 0;
  for (unsigned number = 1; number <= kLines; ++number) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    const std::size_t last_word = line.rfind(' ') + 1;  // 0 if the line is one word
    for (const std::string& garbled :
         {std::string(), " " + line, line + " ", line + " 0", line + "\r", "x" + line.substr(1),
          line.substr(0, last_word) + "x", line.substr(0, last_word) + "-1",
          line.substr(0, last_word) + "99999999999999999999999", line + '\0'})
      EXPECT_EQ(refused(with_line(text, number, garbled)), number) << garbled;
    EXPECT_EQ(refused(with_line(text, number, line + "\n")), number + 1);  // an empty line follows
  }
  EXPECT_EQ(refused(text + "end\n"), kLines + 1);
}

// If each line is valid but the model is impossible, the last line is refused.
TEST(SimulatorModel, AnImpossibleModelIsRefused) {
  const std::string text = shipped("skylake");
  const std::pair<unsigned, const char*> impossible[] = {
      {2, "frequency_hz 0"},
      {3, "slice_ns 0 1000"},
      {3, "slice_ns 1001 1000"},
      {4, "core 0 0 0"},
      {7, "window 0 12 56 2"},
      {7, "window 224 0 56 2"},
      {7, "window 224 12 0 2"},
      {7, "window 224 12 56 0"},
      {8, "cache l1i 0 8 64 0 1 4 0"},
      {8, "cache l1i 32768 0 64 0 1 4 0"},
      {8, "cache l1i 32768 8 0 0 1 4 0"},
      {8, "cache l1i 32768 8 48 0 1 4 0"},
      {8, "cache l1i 32769 8 64 0 1 4 0"},
      {9, "cache l1d 24576 8 64 0 1 4 0"},  // 48 sets
      {9, "cache l1d 32768 8 8 0 1 4 0"},
      {10, "cache l2 0 4 64 0 1 12 0"},  // but there is an L3
      {13, "page 0"},
      {13, "page 4095"},
      {13, "page 128"},
      {14, "prefetch 32 0 8"},  // that asks for nothing
      {15, "tlb itlb 0 8 0 0 0"},
      {15, "tlb itlb 128 0 0 0 0"},
      {16, "tlb dtlb 12 4 0 0 0"},  // three sets
      {17, "tlb main 1536 5 0 0 9"},
      {19, "branch 1 0 0 0 0 0"},
      {19, "branch 2 100 0 0 0 0"},
      {19, "branch 2 128 0 3 0 0"},
      {20, "tage 1 0"},
      {20, "tage 1000 0"},
      {20, "tage 1024 60"},
      {21, "histories 0 0 0 0 0 0 0 0"},
      {21, "histories 5 5 0 0 0 0 0 0"},
      {21, "histories 5 0 9 0 0 0 0 0"},
  };
  for (const auto& [number, line] : impossible)
    EXPECT_EQ(refused(with_line(text, number, line)), kLines) << line;
  EXPECT_EQ(refused(with_line(with_line(text, 13, "page 256"), 9, "cache l1d 32768 8 512 0 1 4 0")),
            kLines)
      << "a line longer than a page";
}

TEST(SimulatorModel, AValueOutOfBoundsIsRefusedAtItsLine) {
  const std::string text = shipped("skylake");
  const std::pair<unsigned, const char*> beyond[] = {
      {1, "tacho-model 3"},
      {4, "core 9 0 0"},
      {4, "core 1 2 0"},
      {4, "core 1 0 101"},
      {7, "window 224 65 56 2"},
      {7, "window 224 12 257 2"},
      {7, "window 224 12 56 9"},
      {8, "cache l1i 32768 8 64 3 1 4 0"},
      {8, "cache l1i 32768 8 64 0 2 4 0"},
      {10, "cache l2 262144 4 64 0 1 12 4097"},
      {14, "prefetch 65 20 8"},
      {17, "tlb main 2097152 2 0 0 9"},
      {19, "branch 4 128 0 0 0 0"},
      {19, "branch 2 128 21 0 0 0"},
      {19, "branch 2 128 0 0 65 0"},
      {21, "histories 4 129 0 0 0 0 0 0"},
      {6, "fusion 2 0"},
      {22, "operation none 1001 0 0 0 0 0 0 0 0 0 0 0 0 0"},
  };
  for (const auto& [number, line] : beyond)
    EXPECT_EQ(refused(with_line(text, number, line)), number) << line;
}

}  // namespace
}  // namespace tacho::simulator::TEST_FILE

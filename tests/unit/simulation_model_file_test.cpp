// Model files: the shipped ones agree with the processors that they are named after, and an error
// in a user's file is reported with its line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "simulation/model_file.hpp"
#include "simulation/simulator_input.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Result<CpuModel> shipped(const std::string& name) {
  const std::string path = std::string(TACHO_SOURCE_DIR) + "/data/models/" + name + ".toml";
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  return parse_model(*text, path);
}

// A complete model. Tests replace parts of it; error messages contain its line numbers.
const std::string kWhole = R"(description = "mine"
[core]
frequency_hz = 700_000_000
issue_width = 1
in_order = true
store_percent = 10
source = "a manual"
[latency]
integer = 1
multiply = 2
divide = 3
float_add = 4
float_multiply = 5
float_divide = 6
source = "a table"
[l1i]
size = "16K"
ways = 4
line = 32
replacement = "random"
latency = 1
source = "s"
[l1d]
size = 16384
ways = 4
line = 32
replacement = "round-robin"
write_allocate = false
latency = 3
source = "s"
[memory]
latency = 56
source = "s"
[itlb]
entries = 10
replacement = "lru"
source = "s"
[dtlb]
entries = 12
ways = 3
replacement = "lru"
source = "s"
[main_tlb]
entries = 64
ways = 2
victims = 8
replacement = "lru"
latency = 7
source = "s"
[walk]
latency = 60
page = "4K"
source = "s"
[branch]
direction = "gshare"
entries = 128
history = 6
targets = 0
returns = 3
mispredict = 5
source = "s"
)";

std::string failure_of(const std::string& text) {
  const auto model = parse_model(text, "dir/mine.toml");
  return model ? "parsed" : model.error().what + " | " + model.error().remedy;
}

// The error for kWhole after the first `before` is replaced.
std::string failure_with(const std::string& before, const std::string& after) {
  std::string text = kWhole;
  const std::size_t at = text.find(before);
  EXPECT_NE(at, text.npos) << before;
  return at == text.npos ? "" : failure_of(text.replace(at, before.size(), after));
}

std::uint64_t sets_of(const CacheModel& cache) {
  return cache.size / cache.ways / cache.line;
}

TEST(SimulationModelFile, EveryValueIsReadAndWrittenInTheSimulatorsOrder) {
  const auto model = parse_model(kWhole, "dir/mine.toml");
  ASSERT_TRUE(model) << model.error().what;
  EXPECT_EQ(model->name, "mine");
  EXPECT_EQ(model->description, "mine");
  EXPECT_EQ(model->set, "");
  EXPECT_EQ(parse_model("set = 'cache'\n" + kWhole, "mine.toml")->set, "cache");
  EXPECT_THAT(model->sources, testing::Contains("core: a manual"));
  EXPECT_THAT(model->sources, testing::Contains("latency: a table"));
  // Written by hand from docs/explanation/simulator.md.
  std::string expected = R"(tacho-model 4
frequency_hz 700000000
slice_ns 200 1000000
core 1 1 10
latency 1 2 3 4 5 6
fusion 0 0
window 1 1 1 1
cache l1i 16384 4 32 2 1 1 0
cache l1d 16384 4 32 1 0 3 0
cache l2 0 1 64 0 1 1 0
cache l3 0 1 64 0 1 1 0
memory 56
page 4096
prefetch 0 0 0
tlb itlb 10 10 0 0 0
tlb dtlb 12 3 0 0 0
tlb main 64 2 8 0 7
walk 60
branch 2 128 6 0 3 5
tage 0 0
histories 0 0 0 0 0 0 0 0
)";
  for (const OperationClass& each : kOperationClasses)
    expected += fmt::format("operation {} 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", each.name);
  EXPECT_EQ(to_simulator_input(*model, 200, 1'000'000), expected + "end\n");
}

// kWhole as an out-of-order model that describes what it has to.
std::string out_of_order(const std::string& more = "") {
  std::string text = kWhole;
  text.replace(text.find("in_order = true\nstore_percent = 10"), 34, "in_order = false");
  const std::size_t begin = text.find("[latency]");
  text.replace(begin, text.find("[l1i]") - begin, R"([operations]
ports = "012D"
fuses_memory = false
fuses_branches = true
integer = "1 01"
multiply = "3 0"
divide = "20 2*01 1 D/6"
branch = "1 2"
load = "0 2"
forward = "4"
store_address = "0 2"
store_data = "0 1"
vector_logic = "2 01"
float_add = "4 0"
float_multiply = "5 0"
float_divide = "12 0 D/4"
source = "a guide"
)" + more);
  return text + "[window]\ninstructions = 224\nmisses = 12\nstores = 56\nwalks = 2\nsource = 's'\n";
}

TEST(SimulationModelFile, AnOutOfOrderModelDescribesItsOperations) {
  const auto model = parse_model(out_of_order(), "dir/mine.toml");
  ASSERT_TRUE(model) << model.error().what;
  EXPECT_THAT(model->sources, testing::Contains("operations: a guide"));
  const std::string text = to_simulator_input(*model, 200, 1'000'000);
  EXPECT_THAT(text, HasSubstr("\nfusion 0 1\n"));
  EXPECT_THAT(text, HasSubstr("\noperation none 0 0 0 0 "));
  // Two micro-operations on ports 0 and 1, one on port 1, and the divider for 6 cycles.
  EXPECT_THAT(text, HasSubstr("\noperation divide 20 3 3 2 2 1 8 6 0 0 0 0 0 0\n"));
  EXPECT_THAT(text, HasSubstr("\noperation carry 1 1 3 1 0 ")) << "like integer";
  EXPECT_THAT(text, HasSubstr("\noperation shuffle_lanes 2 1 3 1 0 ")) << "like vector_logic";
  EXPECT_THAT(text, HasSubstr("\noperation float_root_single 12 1 1 1 8 4 0 "))
      << "like a division";
}

TEST(SimulationModelFile, WrongOperationsAreRefused) {
  EXPECT_EQ(failure_of(out_of_order("shift = \"1 01\"\n")), "parsed");
  for (const char* wrong : {"1 3", "x 0", "1 0*1", "1 0/", "1  0", "1 0 ", "-1 0", "1 0/1001",
                            "1 2*", "1001 0", "1 0 0 0 0 0 0 0", "1 101*0"})
    EXPECT_THAT(failure_of(out_of_order("shift = \"" + std::string(wrong) + "\"\n")),
                StartsWith("dir/mine.toml:24: 'shift' of [operations] is \"" + std::string(wrong) +
                           "\" | write its latency and its ports out of \"012D\""))
        << wrong;
  EXPECT_THAT(failure_of(out_of_order("none = \"0\"\n")), HasSubstr("unknown key 'none'"));
  EXPECT_THAT(failure_of(out_of_order("[latency]\ninteger = 1\n")),
              StartsWith("dir/mine.toml:5: 'in_order' of [core] does not go with [latency]"));
  std::string text = out_of_order();
  text.erase(text.find("load = "), std::string("load = \"0 2\"\n").size());
  EXPECT_THAT(failure_of(text), HasSubstr("'load' of [operations] is missing"));
}

TEST(SimulationModelFile, MorePortsThanACoreHasAreRefused) {
  std::string text = out_of_order();
  text.replace(text.find("012D"), 4, std::string(40, '7') + "D");
  EXPECT_THAT(failure_of(text),
              StartsWith("dir/mine.toml:8: 'ports' of [operations] is not a letter or digit"));
}

TEST(SimulationModelFile, AnOutOfOrderCoreHasAWindow) {
  const auto model = parse_model(out_of_order(), "mine.toml");
  ASSERT_TRUE(model) << model.error().what;
  EXPECT_THAT(to_simulator_input(*model, 1, 2), HasSubstr("\nwindow 224 12 56 2\n"));
  std::string text = out_of_order();
  text.replace(text.find("misses = 12"), 11, "misses = 65");
  EXPECT_THAT(failure_of(text), HasSubstr("'misses' of [window] is 65 | it must be from 1 to 64"));
  EXPECT_THAT(failure_of(kWhole + "[window]\ninstructions = 1\n"),
              HasSubstr("'in_order' of [core] does not go with [window]"));
  EXPECT_THAT(failure_with("in_order = true", "in_order = false"),
              HasSubstr("an out-of-order core has a store buffer"));
}

TEST(SimulationModelFile, OuterCachesMayHaveABandwidth) {
  const std::string l2 =
      "[l2]\nsize = '1M'\nways = 4\nline = 64\nreplacement = 'lru'\nwrite_allocate = true\n"
      "latency = 9\nsource = 's'\n";
  const auto limited = parse_model(kWhole + l2 + "bandwidth = 48\n", "mine.toml");
  ASSERT_TRUE(limited) << limited.error().what;
  EXPECT_THAT(to_simulator_input(*limited, 1, 2), HasSubstr("\ncache l2 1048576 4 64 0 1 9 48\n"));
  const auto unlimited = parse_model(kWhole + l2, "mine.toml");
  ASSERT_TRUE(unlimited) << unlimited.error().what;
  EXPECT_THAT(to_simulator_input(*unlimited, 1, 2), HasSubstr("\ncache l2 1048576 4 64 0 1 9 0\n"));
  EXPECT_THAT(failure_of(kWhole + l2 + "bandwidth = 0\n"), HasSubstr("bandwidth"));
  EXPECT_THAT(failure_with("[l1d]\n", "[l1d]\nbandwidth = 64\n"),
              HasSubstr("unknown key 'bandwidth'"));
}

TEST(SimulationModelFile, APrefetcherNeedsASecondLevel) {
  const std::string prefetcher =
      "[prefetch]\nstreams = 16\ndistance = 20\nline_cycles = 8\nsource = 's'\n";
  const std::string l2 =
      "[l2]\nsize = '1M'\nways = 4\nline = 64\nreplacement = 'lru'\nwrite_allocate = true\n"
      "latency = 9\nsource = 's'\n";
  const auto model = parse_model(kWhole + l2 + prefetcher, "mine.toml");
  ASSERT_TRUE(model) << model.error().what;
  EXPECT_THAT(to_simulator_input(*model, 1, 2), HasSubstr("\nprefetch 16 20 8\n"));
  EXPECT_THAT(failure_of(kWhole + prefetcher), HasSubstr("has no [l2] to bring lines into"));
  EXPECT_THAT(failure_of(kWhole + l2 + "[prefetch]\nstreams = 65\n"), HasSubstr("64"));
  const auto without = parse_model("prefetch = 'off'\n" + kWhole + l2, "mine.toml");
  ASSERT_TRUE(without) << without.error().what;
  EXPECT_THAT(to_simulator_input(*without, 1, 2), HasSubstr("\nprefetch 0 0 0\n"));
  EXPECT_THAT(failure_of("prefetch = 'on'\n" + kWhole + l2),
              HasSubstr("'prefetch' is not a table"));
}

TEST(SimulationModelFile, ATagePredictorHasHistoriesAndALoopPredictor) {
  const std::string gshare = "\"gshare\"\nentries = 128\nhistory = 6";
  const auto with = [&](const std::string& histories, const std::string& loops) {
    return "\"tage\"\nentries = 128\nhistories = " + histories +
           "\ntable_entries = 1024\nloops = " + loops;
  };
  std::string text = kWhole;
  text.replace(text.find(gshare), gshare.size(), with("[5, 12, 128]", "64"));
  const auto model = parse_model(text, "mine.toml");
  ASSERT_TRUE(model) << model.error().what;
  EXPECT_THAT(to_simulator_input(*model, 1, 2),
              HasSubstr("\nbranch 3 128 0 0 3 5\ntage 1024 64\nhistories 5 12 128 0 0 0 0 0\n"));
  EXPECT_EQ(failure_with(gshare, with("[128]", "0")), "parsed");
  for (const char* list : {"[]", "[0]", "[5, 5]", "[12, 5]", "[129]", "[1, 2, 3, 4, 5, 6, 7, 8, 9]",
                           "[5, \"12\"]", "[5.0]", "5", "\"5\""})
    EXPECT_THAT(failure_with(gshare, with(list, "64")),
                HasSubstr("'histories' of [branch] is not a list of rising whole numbers"))
        << list;
  EXPECT_THAT(failure_with(gshare, with("[5]", "60")), HasSubstr("not a power of two | 32 and 64"));
  EXPECT_THAT(failure_with("history = 6", "history = 6\nloops = 64"),
              HasSubstr("'loops' of [branch] has no meaning without direction = \"tage\""));
}

TEST(SimulationModelFile, SizesMayBeNumbersOrHaveAUnit) {
  for (const char* size : {"\"16K\"", "\"16384\"", "16384", "0x4000", "16_384"})
    EXPECT_EQ(failure_with("\"16K\"", size), "parsed") << size;
  for (const char* size : {"\"16 K\"", "\"16k\"", "\"16KB\"", "\"K\"", "\"\"", "16.5", "true",
                           "\"9999999999999G\"", "\"-16K\""})
    EXPECT_THAT(failure_with("\"16K\"", size),
                StartsWith("dir/mine.toml:17: 'size' of [l1i] is not a number of bytes"))
        << size;
  EXPECT_THAT(failure_with("\"16K\"", "-1"), HasSubstr(":17: 'size' of [l1i] is -1"));
  EXPECT_THAT(failure_with("\"16K\"", "\"8G\""),
              HasSubstr("is 8589934592 | it must be from 1024 to"));
}

TEST(SimulationModelFile, ErrorsNameFileLineAndReason) {
  EXPECT_THAT(failure_of("core = 1\n\nx"), StartsWith("dir/mine.toml:3: "));
  EXPECT_THAT(failure_of("description = 'd'\n"), HasSubstr("the table [core] is missing"));
  EXPECT_THAT(failure_of("description = 'd'\ncore = 3\n"),
              StartsWith("dir/mine.toml:2: 'core' is not a table"));
  EXPECT_THAT(failure_with("description = \"mine\"\n", "\n"),
              HasSubstr("'description' is missing"));
  EXPECT_THAT(
      failure_with("issue_width", "issue_widht"),
      StartsWith("dir/mine.toml:4: unknown key 'issue_widht' | did you mean 'issue_width'"));
  EXPECT_THAT(failure_with("[main_tlb]", "[main-tlb]"),
              StartsWith("dir/mine.toml:43: unknown key 'main-tlb' | did you mean 'main_tlb'"));
  EXPECT_THAT(failure_with("multiply = 2\n", ""),
              StartsWith("dir/mine.toml:8: 'multiply' of [latency] is missing"));
  EXPECT_THAT(failure_with("source = \"a table\"\n", ""),
              StartsWith("dir/mine.toml:8: 'source' is missing"));
  EXPECT_THAT(failure_with("in_order = true", "in_order = 1"),
              StartsWith("dir/mine.toml:5: 'in_order' of [core] is neither true nor false"));
  EXPECT_THAT(failure_with("ways = 4", "ways = \"4\""),
              StartsWith("dir/mine.toml:18: 'ways' of [l1i] is not a whole number"));
  EXPECT_THAT(failure_with("\"random\"", "\"randon\""),
              HasSubstr("'replacement' of [l1i] is 'randon' | did you mean 'random'"));
  EXPECT_THAT(failure_with("\"random\"", "2"), HasSubstr("is not a text | write \"lru\" or"));
}

TEST(SimulationModelFile, ValuesOutOfRangeAreRefused) {
  EXPECT_THAT(failure_with("issue_width = 1", "issue_width = 9"),
              StartsWith("dir/mine.toml:4: 'issue_width' of [core] is 9 | it must be from 1 to 8"));
  EXPECT_THAT(failure_with("issue_width = 1", "issue_width = 0"), HasSubstr("is 0"));
  EXPECT_THAT(failure_with("store_percent = 10", "store_percent = 101"), HasSubstr("is 101"));
  EXPECT_THAT(failure_with("frequency_hz = 700_000_000", "frequency_hz = -1"), HasSubstr("is -1"));
  EXPECT_THAT(failure_with("ways = 4", "ways = 65"), HasSubstr("from 1 to 64"));
  EXPECT_THAT(failure_with("line = 32", "line = 48"),
              HasSubstr("'line' of [l1i] is 48, which is not a power of two | 32 and 64"));
  EXPECT_THAT(failure_with("page = \"4K\"", "page = 5000"), HasSubstr("not a power of two"));
  EXPECT_THAT(failure_with("latency = 56", "latency = 2"),  // l1d has 3
              StartsWith("dir/mine.toml:32: 'latency' of [memory] is 2 | it must be from 3 to"));
  EXPECT_THAT(failure_with("returns = 3", "returns = 65"), HasSubstr("from 0 to 64"));
  EXPECT_THAT(failure_with("history = 6", "history = 21"), HasSubstr("from 1 to 20"));
  EXPECT_THAT(failure_with("entries = 10\n", "entries = 5000\n"), HasSubstr("from 1 to 4096"));
}

TEST(SimulationModelFile, GeometryMustBeConsistent) {
  EXPECT_THAT(
      failure_with("\"16K\"", "\"17K\""),
      StartsWith("dir/mine.toml:17: 'size' of [l1i] makes 136 sets, which is not a power of "
                 "two | 16384 would be 128 sets"));
  EXPECT_THAT(failure_with("\"16K\"", "16400"),
              HasSubstr("is 16400: not a multiple of a set of 4 ways of 32 bytes"));
  EXPECT_THAT(failure_with("\"16K\"", "\"1K\""), HasSubstr("leaves 256 bytes in a way"));
  EXPECT_THAT(failure_with("entries = 12", "entries = 18"),
              StartsWith("dir/mine.toml:39: 'entries' of [dtlb] is 18: the number of sets"));
  EXPECT_EQ(failure_with("entries = 12", "entries = 24"), "parsed");
  // The number of sets of a later level need not be a power of two.
  const std::string level =
      "ways = 11\nline = 64\nreplacement = 'lru'\nwrite_allocate = true\nlatency = 40\nsource = "
      "'s'\n[memory]";
  EXPECT_EQ(failure_with("[memory]", "[l2]\nsize = 14417920\n" + level), "parsed");  // 20,480 sets
  EXPECT_THAT(failure_with("[memory]", "[l2]\nsize = 14417921\n" + level), HasSubstr("20480 sets"));
  EXPECT_THAT(failure_with("[memory]", "[l3]\nsize = 14417920\n" + level),
              HasSubstr("'size' of [l3] has no [l2] before it"));
}

TEST(SimulationModelFile, KeysWithoutAnEffectAreRefused) {
  EXPECT_THAT(failure_with("\"gshare\"", "\"bimodal\""),
              HasSubstr("'history' of [branch] has no meaning"));
  EXPECT_THAT(failure_with("\"gshare\"", "\"fixed\""),
              HasSubstr("'entries' of [branch] has no meaning"));
  EXPECT_EQ(failure_with("\"gshare\"\nentries = 128\nhistory = 6", "\"fixed\""), "parsed");
  EXPECT_THAT(failure_with("line = 32\n", "line = 32\nwrite_allocate = true\n"),
              HasSubstr(":20: unknown key 'write_allocate'"));  // of an instruction cache
  EXPECT_THAT(failure_with("entries = 10\n", "entries = 10\nlatency = 1\n"),
              HasSubstr("unknown key 'latency'"));  // of a micro TLB
  // The simulator has victim entries behind the main TLB only.
  EXPECT_THAT(failure_with("entries = 10", "entries = 10\nvictims = 8"),
              HasSubstr("unknown key 'victims'"));
}

TEST(SimulationModelFile, TheFirstRaspberryPiAgreesWithItsManualAndMeasurements) {
  const auto m = shipped("arm1176");
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->name, "arm1176");
  EXPECT_EQ(sets_of(m->l1d), 128U);
  EXPECT_EQ(m->l1d.line, 32U);
  EXPECT_EQ(sets_of(m->l1i), 128U);
  EXPECT_FALSE(m->l2);
  EXPECT_EQ(m->dtlb.entries, 10U);
  EXPECT_EQ(m->dtlb.ways, 10U);
  ASSERT_TRUE(m->main_tlb);
  EXPECT_EQ(m->main_tlb->entries + m->main_tlb->victims, 72U);  // 288 KB of 4 KB pages
  // Measured: 3 cycles in L1, 56 in memory with a hit in a TLB, 116 with a miss in both TLBs.
  EXPECT_EQ(m->l1d.latency, 3U);
  EXPECT_EQ(m->memory_latency + m->main_tlb->latency, 56U);
  EXPECT_EQ(m->memory_latency + m->walk_latency, 116U);
  EXPECT_FALSE(m->l1d.write_allocate);
}

// ARM DDI 0344K: chapters 5 to 8 and 16.4.
TEST(SimulationModelFile, TheBeagleBoneBlackAgreesWithItsManual) {
  const auto m = shipped("cortex-a8");
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->dtlb.entries, 32U);
  EXPECT_FALSE(m->main_tlb);
  EXPECT_EQ(m->l2->latency - m->l1d.latency, 8U) << "until the load is repeated";
  EXPECT_GE(m->memory_latency, 25U) << "the least that the manual gives";
  EXPECT_EQ(m->walk_latency, 24U);
  EXPECT_EQ(m->branch.entries, 4096U);
  EXPECT_EQ(m->branch.targets, 512U);
  EXPECT_EQ(m->branch.returns, 8U);
  EXPECT_EQ(m->branch.mispredict, 13U);
}

// Measured on an Exynos 4210 by 7-cpu.com: 4 cycles in L1, 23 in L2, 7 more after a miss of the
// micro TLB, 7 more after a miss of the main TLB, and 110 ns for memory.
TEST(SimulationModelFile, TheOdroidU2AgreesWithMeasurements) {
  const auto m = shipped("cortex-a9");
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->l1d.latency, 4U);
  EXPECT_EQ(m->l2->latency, 23U);
  EXPECT_EQ(m->l2->latency + m->main_tlb->latency, 30U);
  EXPECT_EQ(m->l2->latency + m->walk_latency, 37U);
  EXPECT_NEAR((m->memory_latency - m->l2->latency) * 1e9 / static_cast<double>(m->frequency_hz),
              110, 1);
  EXPECT_EQ(m->l1d.line, 32U);
  EXPECT_EQ(m->main_tlb->entries, 128U);
}

// ARM 100798: A5.2 and A6.1; the sizes of L2 and L3 are those of Raspberry Pi's device tree.
TEST(SimulationModelFile, TheRaspberryPi5AgreesWithItsManual) {
  const auto m = shipped("cortex-a76");
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->l1d.size, 64U << 10);
  EXPECT_EQ(m->l2->size, 512U << 10);
  EXPECT_EQ(m->l3->size, 2U << 20);
  EXPECT_EQ(m->dtlb.entries, 48U);
  EXPECT_EQ(m->itlb.entries, 48U);
  EXPECT_EQ(m->main_tlb->entries, 1280U);
  EXPECT_EQ(m->main_tlb->ways, 5U);
  EXPECT_FALSE(m->in_order);
}

TEST(SimulationModelFile, EveryShippedModelParsesAndHasItsKnownGeometry) {
  struct Known {
    const char* name;
    std::uint64_t l1i_sets, l1d_sets, l2_sets, l3_sets;
    unsigned main_tlb_sets;
  };
  for (const Known& known :
       {Known{"arm1176", 128, 128, 0, 0, 32}, Known{"cortex-a7", 512, 128, 1024, 0, 128},
        Known{"cortex-a8", 128, 128, 512, 0, 0}, Known{"cortex-a9", 256, 256, 2048, 0, 64},
        Known{"cortex-a53", 256, 128, 512, 0, 128}, Known{"cortex-a72", 256, 256, 1024, 0, 256},
        Known{"cortex-a76", 256, 256, 1024, 2048, 256}, Known{"skylake", 64, 64, 1024, 8192, 128},
        Known{"cachegrind", 64, 64, 1024, 0, 0}}) {
    const auto m = shipped(known.name);
    ASSERT_TRUE(m) << m.error().what;
    EXPECT_EQ(sets_of(m->l1i), known.l1i_sets) << known.name;
    EXPECT_EQ(sets_of(m->l1d), known.l1d_sets) << known.name;
    EXPECT_EQ(m->l2 ? sets_of(*m->l2) : 0, known.l2_sets) << known.name;
    EXPECT_EQ(m->l3 ? sets_of(*m->l3) : 0, known.l3_sets) << known.name;
    EXPECT_EQ(m->main_tlb ? m->main_tlb->entries / m->main_tlb->ways : 0, known.main_tlb_sets)
        << known.name;
    EXPECT_NE(m->description, "") << known.name;
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE

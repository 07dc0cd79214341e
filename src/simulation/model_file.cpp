#include "simulation/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <span>

#include "simulation/model_reader.hpp"

namespace tacho {
namespace {

using Keys = std::span<const std::string_view>;

constexpr auto kTables = std::to_array<std::string_view>(
    {"description", "set", "core", "latency", "operations", "window", "l1i", "l1d", "l2", "l3",
     "memory", "prefetch", "itlb", "dtlb", "main_tlb", "walk", "branch", "accuracy"});
constexpr auto kCoreKeys = std::to_array<std::string_view>(
    {"frequency_hz", "issue_width", "in_order", "source", "store_percent"});
constexpr auto kLatencyKeys = std::to_array<std::string_view>(
    {"integer", "multiply", "divide", "float_add", "float_multiply", "float_divide", "source"});
// What [operations] has besides the classes of operations.
constexpr auto kCommonOperationKeys =
    std::to_array<std::string_view>({"ports", "fuses_memory", "fuses_branches", "source"});
constexpr auto kWindowKeys =
    std::to_array<std::string_view>({"instructions", "misses", "stores", "walks", "source"});
// The cache of instructions has no stores, so its table does not have `write_allocate`. The first
// level's bandwidth is that of the load ports.
constexpr auto kOuterCacheKeys = std::to_array<std::string_view>(
    {"size", "ways", "line", "replacement", "latency", "source", "write_allocate", "bandwidth"});
constexpr Keys kDataCacheKeys = Keys(kOuterCacheKeys).first(kOuterCacheKeys.size() - 1);
constexpr Keys kFetchCacheKeys = Keys(kDataCacheKeys).first(kDataCacheKeys.size() - 1);
constexpr auto kMemoryKeys = std::to_array<std::string_view>({"latency", "source"});
constexpr auto kPrefetchKeys =
    std::to_array<std::string_view>({"streams", "distance", "line_cycles", "source"});
// A micro TLB has neither a latency nor a victim cache, so its table does not have the last two
// keys.
constexpr auto kMainTlbKeys = std::to_array<std::string_view>(
    {"entries", "ways", "replacement", "source", "victims", "latency"});
constexpr Keys kMicroTlbKeys = Keys(kMainTlbKeys).first(kMainTlbKeys.size() - 2);
constexpr auto kWalkKeys = std::to_array<std::string_view>({"latency", "page", "source"});
constexpr auto kBranchKeys = std::to_array<std::string_view>(
    {"direction", "entries", "history", "histories", "table_entries", "loops", "targets", "returns",
     "mispredict", "source"});

constexpr auto kAccuracyKeys = std::to_array<std::string_view>({"cycles_error", "of", "source"});

constexpr auto kReplacements =
    std::to_array<Word<Replacement>>({{"lru", Replacement::lru},
                                      {"round-robin", Replacement::round_robin},
                                      {"random", Replacement::random}});
constexpr auto kDirections = std::to_array<Word<Direction>>({{"fixed", Direction::fixed},
                                                             {"bimodal", Direction::bimodal},
                                                             {"gshare", Direction::gshare},
                                                             {"tage", Direction::tage}});

// Reads one model, table by table.
class ModelParser {
 public:
  ModelParser(std::string_view text, const std::string& path) : reader_(path) {
    reader_.parse(text, kTables);
    model_.name = std::filesystem::path(path).stem().string();
  }

  Result<CpuModel> parse() {
    if (!reader_.error()) read();
    if (reader_.error()) return std::unexpected(*reader_.error());
    return std::move(model_);
  }

 private:
  void read() {
    model_.description = reader_.text("description", true);
    model_.set = reader_.text("set", false);
    core();
    if (model_.in_order) {
      latencies();
      refuse_table("operations");
      refuse_table("window");
    } else {
      operations();
      window();
      refuse_table("latency");
    }
    model_.l1i = cache("l1i", true, kFetchCacheKeys, 1, limits::kLine.least);
    model_.l1d = cache("l1d", true, kDataCacheKeys, 1, limits::kLine.least);
    unsigned latency = std::max(model_.l1i.latency, model_.l1d.latency);
    unsigned line = std::max(model_.l1i.line, model_.l1d.line);
    for (auto [name, level] : {std::pair("l2", &model_.l2), std::pair("l3", &model_.l3)}) {
      if (!reader_.has(name)) continue;
      *level = cache(name, false, kOuterCacheKeys, latency, line);
      latency = (*level)->latency;
      line = (*level)->line;
    }
    if (model_.l3 && !model_.l2)
      ModelSection(reader_, "l3", kOuterCacheKeys)
          .refuse("size", "has no [l2] before it", "call it [l2]");
    memory(latency);
    walk();
    if (reader_.is_word("prefetch", "off"))
      model_.sources.emplace_back("prefetch: off: the model has no hardware prefetcher");
    else if (reader_.has("prefetch"))
      prefetcher();
    model_.itlb = tlb("itlb", kMicroTlbKeys);
    model_.dtlb = tlb("dtlb", kMicroTlbKeys);
    if (reader_.has("main_tlb")) model_.main_tlb = tlb("main_tlb", kMainTlbKeys);
    branch();
    if (reader_.has("accuracy")) accuracy();
  }

  void finish(ModelSection& section) { model_.sources.push_back(section.source()); }

  void core() {
    ModelSection section(reader_, "core", kCoreKeys);
    model_.frequency_hz = section.number("frequency_hz", limits::kFrequency);
    model_.issue_width = section.small("issue_width", limits::kWidth);
    model_.in_order = section.flag("in_order");
    if (model_.in_order)
      model_.store_percent = section.small("store_percent", limits::kPercent);
    else if (section.has("store_percent"))
      section.refuse("store_percent", "has no meaning: an out-of-order core has a store buffer",
                     "leave it out, and set 'stores' of [window]");
    finish(section);
  }

  // The table describes cores of the other kind.
  void refuse_table(std::string_view name) {
    if (!reader_.has(name)) return;
    ModelSection(reader_, "core", kCoreKeys)
        .refuse("in_order", fmt::format("does not go with [{}]", name),
                fmt::format("leave [{}] out: in_order = true has [latency], false has [operations] "
                            "and [window]",
                            name));
  }

  void latencies() {
    ModelSection section(reader_, "latency", kLatencyKeys);
    Latencies& to = model_.latencies;
    to.integer = section.small("integer", limits::kExecution);
    to.multiply = section.small("multiply", limits::kExecution);
    to.divide = section.small("divide", limits::kExecution);
    to.float_add = section.small("float_add", limits::kExecution);
    to.float_multiply = section.small("float_multiply", limits::kExecution);
    to.float_divide = section.small("float_divide", limits::kExecution);
    finish(section);
  }

  void operations() {
    std::vector<std::string_view> keys(kCommonOperationKeys.begin(), kCommonOperationKeys.end());
    for (const OperationClass& each : std::span(kOperationClasses).subspan(1))
      keys.push_back(each.name);
    ModelSection section(reader_, "operations", keys);
    model_.fuses_memory = section.flag("fuses_memory");
    model_.fuses_branches = section.flag("fuses_branches");
    std::string ports = section.text("ports", "\"01234\"");
    if (ports.size() > kMostPorts || ports.find_first_of(" */") != std::string::npos)
      section.refuse("ports", "is not a letter or digit for each port",
                     fmt::format("write up to {} of them, as \"01234\"", kMostPorts));
    ports.resize(std::min(ports.size(), kMostPorts));
    std::array<bool, kOperationClasses.size()> described{};
    described[0] = true;
    for (std::size_t i = 1; i < described.size(); ++i) {
      const std::string_view name = kOperationClasses[i].name;
      described[i] = section.has(name) || kOperationClasses[i].like.empty();
      if (described[i]) model_.operations[i] = operation(section, name, ports);
    }
    for (std::size_t i = 0; i < described.size(); ++i)
      model_.operations[i] = model_.operations[*described_class(i, described)];
    finish(section);
  }

  void window() {
    ModelSection section(reader_, "window", kWindowKeys);
    WindowModel& to = model_.window;
    to.instructions = section.small("instructions", limits::kWindow);
    to.misses = section.small("misses", limits::kMisses);
    to.stores = section.small("stores", limits::kStoreBuffer);
    to.walks = section.small("walks", limits::kWalks);
    finish(section);
  }

  Operation operation(ModelSection& section, std::string_view name, std::string_view ports) {
    const std::string text = section.text(name, "\"1 01\"");
    if (const auto parsed = parse_operation(text, ports)) return *parsed;
    if (!text.empty())
      section.refuse(name, fmt::format("is \"{}\"", text.substr(0, 40)),
                     fmt::format("write its latency and its ports out of \"{}\", as \"3 {}\"",
                                 ports, ports.substr(0, 1)));
    return {};
  }

  // `latency` and `line` are those of the level before; this level's can't be less.
  CacheModel cache(std::string_view name, bool first_level, Keys keys, std::uint64_t latency,
                   std::uint64_t line) {
    ModelSection section(reader_, name, keys);
    CacheModel cache;
    cache.size = section.bytes("size", limits::kCacheSize);
    cache.ways = section.small("ways", limits::kWays);
    cache.line = section.power_of_two("line", {line, limits::kLine.most});
    cache.replacement = section.word<Replacement>("replacement", kReplacements);
    if (keys.size() > kFetchCacheKeys.size()) cache.write_allocate = section.flag("write_allocate");
    if (section.has("bandwidth")) cache.bandwidth = section.small("bandwidth", limits::kBandwidth);
    cache.latency = section.small("latency", {latency, limits::kAccess.most});
    finish(section);
    check_sets(section, cache, first_level);
    return cache;
  }

  void check_sets(ModelSection& section, const CacheModel& cache, bool first_level) {
    const std::uint64_t set = std::uint64_t{cache.ways} * cache.line;
    const std::uint64_t sets = cache.size / set;
    if (cache.size % set != 0)
      section.refuse("size",
                     fmt::format("is {}: not a multiple of a set of {} ways of {} bytes",
                                 cache.size, cache.ways, cache.line),
                     fmt::format("{} would be {} sets", std::max(sets, std::uint64_t{1}) * set,
                                 std::max(sets, std::uint64_t{1})));
    else if (first_level && !std::has_single_bit(sets))
      section.refuse(
          "size", fmt::format("makes {} sets, which is not a power of two", sets),
          fmt::format("{} would be {} sets", std::bit_floor(sets) * set, std::bit_floor(sets)));
    else if (sets * cache.line < limits::kLeastWay)
      section.refuse(
          "ways",
          fmt::format("is {}, which leaves {} bytes in a way", cache.ways, sets * cache.line),
          fmt::format("a way has at least {}", limits::kLeastWay));
  }

  void memory(std::uint64_t latency) {
    ModelSection section(reader_, "memory", kMemoryKeys);
    model_.memory_latency = section.small("latency", {latency, limits::kAccess.most});
    finish(section);
  }

  void walk() {
    ModelSection section(reader_, "walk", kWalkKeys);
    model_.walk_latency = section.small("latency", limits::kAdded);
    model_.page = static_cast<unsigned>(section.bytes("page", limits::kPage));
    if (!std::has_single_bit(model_.page))
      section.refuse("page", fmt::format("is {}, which is not a power of two", model_.page),
                     "4096 is usual");
    finish(section);
  }

  void prefetcher() {
    ModelSection section(reader_, "prefetch", kPrefetchKeys);
    PrefetcherModel& to = model_.prefetcher;
    to.streams = section.small("streams", limits::kStreams);
    to.distance = section.small("distance", limits::kDistance);
    to.line_cycles = section.small("line_cycles", limits::kAdded);
    if (!model_.l2)
      section.refuse("streams", "has no [l2] to bring lines into", "leave [prefetch] out");
    finish(section);
  }

  TlbModel tlb(std::string_view name, Keys keys) {
    ModelSection section(reader_, name, keys);
    TlbModel tlb;
    tlb.entries = section.small("entries", limits::kTlbEntries);
    if (section.has("ways")) {
      tlb.ways = section.small("ways", limits::kWays);
      if (tlb.entries % tlb.ways != 0 || !std::has_single_bit(tlb.entries / tlb.ways))
        section.refuse("entries",
                       fmt::format("is {}: the number of sets of {} ways is not a power of two",
                                   tlb.entries, tlb.ways),
                       "leave 'ways' out if each entry can hold any page");
    } else {
      tlb.ways = section.small("entries", limits::kFullTlb);
    }
    if (section.has("victims")) tlb.victims = section.small("victims", limits::kVictims);
    tlb.replacement = section.word<Replacement>("replacement", kReplacements);
    if (keys.size() == kMainTlbKeys.size()) tlb.latency = section.small("latency", limits::kAdded);
    finish(section);
    return tlb;
  }

  void branch() {
    ModelSection section(reader_, "branch", kBranchKeys);
    BranchModel& to = model_.branch;
    to.direction = section.word<Direction>("direction", kDirections);
    if (to.direction != Direction::fixed)
      to.entries = section.power_of_two("entries", limits::kCounters);
    else if (section.has("entries"))
      section.refuse("entries", "has no meaning: a fixed direction has no counters",
                     "leave it out");
    if (to.direction == Direction::gshare)
      to.history = section.small("history", limits::kHistory);
    else if (section.has("history"))
      section.refuse("history", "has no meaning without direction = \"gshare\"", "leave it out");
    if (to.direction == Direction::tage) to.tage = tage(section);
    for (const std::string_view key : {"histories", "table_entries", "loops"})
      if (to.direction != Direction::tage && section.has(key))
        section.refuse(key, "has no meaning without direction = \"tage\"", "leave it out");
    to.targets = section.small("targets", limits::kTargets);
    if (to.targets != 0) to.targets = section.power_of_two("targets", limits::kTargets);
    to.returns = section.small("returns", limits::kReturns);
    to.mispredict = section.small("mispredict", limits::kAdded);
    finish(section);
  }

  static TageModel tage(ModelSection& section) {
    TageModel to;
    to.histories = section.rising("histories", limits::kHistories, limits::kTageHistory);
    to.table_entries = section.power_of_two("table_entries", limits::kTagged);
    to.loops = section.small("loops", limits::kLoops);
    if (to.loops != 0) to.loops = section.power_of_two("loops", limits::kLoops);
    return to;
  }

  void accuracy() {
    ModelSection section(reader_, "accuracy", kAccuracyKeys);
    const double percent = section.decimal("cycles_error", limits::kErrorPercent);
    model_.cycles_error = {percent, section.text("of", "\"312 blocks of code without misses\"")};
    finish(section);
  }

  ModelReader reader_;
  CpuModel model_;
};

}  // namespace

Result<CpuModel> parse_model(std::string_view text, const std::string& path) {
  return ModelParser(text, path).parse();
}

}  // namespace tacho

#include "simulation/host_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <utility>

#include "base/caches.hpp"
#include "base/cpuinfo.hpp"
#include "base/file.hpp"
#include "simulation/model_limits.hpp"

namespace tacho {
namespace {

constexpr std::string_view kCore =
    "AMD Zen 3, Software Optimization Guide for AMD Family 19h Processors (56665 rev. 3.00)";

// Ports: A to D integers, E branches, L to N addresses, S and T stores' data, W to Z floating point
// and vectors. Q and R are the dividers of integers and of floating point.
Operations present_day_operations() {
  constexpr std::string_view kPorts = "ABCDELMNSTWXYZQR";
  // clang-format off: a table
  constexpr auto kDescribed = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"none", "0"}, {"integer", "1 ABCD"}, {"move", "0"}, {"zero", "0"},
      {"shift", "1 BC"}, {"shift_double", "4 4*ABCD"}, {"address_slow", "2 ABCD"},
      {"multiply", "3 B"}, {"multiply_wide", "3 2*B"}, {"divide", "12 C Q/6"},
      {"divide_long", "18 C Q/12"}, {"branch", "1 AE"}, {"load", "0 LMN"},
      {"load_vector", "3 LMN"}, {"store_address", "0 LM"}, {"store_data", "0 ST"},
      {"forward", "4"}, {"forward_blocked", "14"}, {"vector_logic", "1 WXYZ"},
      {"vector_shift", "1 XY"}, {"vector_multiply", "3 WZ"}, {"shuffle", "1 XY"},
      {"shuffle_lanes", "3 Y"}, {"to_vector", "3 Y"}, {"from_vector", "3 X"},
      {"float_add", "3 YZ"}, {"float_multiply", "3 WX"}, {"float_divide", "13 X R/5"},
      {"float_divide_single", "10 X R/3"}, {"float_root", "20 X R/9"},
      {"convert", "3 YZ"}, {"convert_to_integer", "7 2*YZ"}});
  // clang-format on
  Operations all;
  std::array<bool, kOperationClasses.size()> described{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto found = std::ranges::find(kDescribed, kOperationClasses[i].name,
                                         &std::pair<std::string_view, std::string_view>::first);
    described[i] = found != kDescribed.end();
    if (described[i]) all[i] = *parse_operation(found->second, kPorts);
    all[i] = all[*described_class(i, described)];
  }
  return all;
}

// The published figures of one present-day core.
CpuModel present_day_core() {
  CpuModel m;
  m.name = "host";
  m.frequency_hz = 2'000'000'000;
  m.issue_width = 6;
  m.in_order = false;
  m.operations = present_day_operations();
  m.fuses_branches = true;
  m.fuses_memory = true;
  m.window = {.instructions = 256, .misses = 24, .stores = 64, .walks = 6};
  m.l1i = {.size = 32 << 10, .ways = 8, .latency = 4};
  m.l1d = {.size = 32 << 10, .ways = 8, .latency = 4};
  m.l2 = {.size = 512 << 10, .ways = 8, .latency = 12, .bandwidth = 32};
  m.l3 = {.size = 32 << 20, .ways = 16, .latency = 46, .bandwidth = 32};
  m.memory_latency = 250;
  m.prefetcher = {.streams = 32, .distance = 20, .line_cycles = 8};
  m.itlb = {.entries = 64, .ways = 64};
  m.dtlb = {.entries = 64, .ways = 64};
  m.main_tlb = {.entries = 2048, .ways = 8, .latency = 7};
  m.walk_latency = 30;
  m.branch = {.direction = Direction::tage,
              .entries = 8192,
              .history = 0,
              .tage = {.histories = {5, 11, 25, 57, 128}, .table_entries = 1024, .loops = 0},
              .targets = 1024,
              .returns = 32,
              .mispredict = 13};
  m.sources = {
      fmt::format("core, operations, window, itlb, dtlb, branch, the latencies and bandwidths of "
                  "caches: not this "
                  "machine's but a present-day core's: {}",
                  kCore),
      "memory, prefetch, main_tlb as unified with its latency, walk: "
      "assumed; "
      "nobody publishes them in this form",
      "replacement: LRU, assumed for what is called pseudo-LRU or not told",
      "branch direction: TAGE, which Family 19h has beside others that AMD does not describe; its "
      "sizes are assumed"};
  return m;
}

std::uint64_t clamped(std::uint64_t value, Limits to) {
  return std::clamp(value, to.least, to.most);
}

// The cache nearest to sysfs's within a model's limits. Figures that sysfs does not have are taken
// from `like`. The line is at least `line` bytes.
CacheModel fitted(const SysfsCache& found, const CacheModel& like, unsigned line,
                  bool first_level) {
  CacheModel cache = like;
  if (found.line != 0)
    cache.line = static_cast<unsigned>(std::bit_floor(clamped(found.line, limits::kLine)));
  cache.line = std::max(cache.line, line);
  const std::uint64_t size = found.size != 0 ? clamped(found.size, limits::kCacheSize) : like.size;
  const std::uint64_t ways = found.ways != 0 ? clamped(found.ways, limits::kWays) : like.ways;
  cache.ways = static_cast<unsigned>(std::min(ways, size / limits::kLeastWay));
  std::uint64_t sets = size / (std::uint64_t{cache.ways} * cache.line);
  if (first_level) sets = std::bit_floor(sets);
  cache.size = sets * cache.ways * cache.line;
  return cache;
}

std::string source_of(std::string_view name, const SysfsCache& found, const CacheModel& cache) {
  std::string text = fmt::format("{}: sysfs: {} bytes, {} ways, {}-byte lines", name, found.size,
                                 found.ways, found.line);
  if (found.size != cache.size || found.ways != cache.ways || found.line != cache.line)
    text +=
        fmt::format("; simulated as the nearest a model can hold: {} bytes, {} ways, {}-byte lines",
                    cache.size, cache.ways, cache.line);
  return text;
}

const SysfsCache* find(const std::vector<SysfsCache>& caches, std::uint64_t level,
                       std::string_view unlike) {
  const auto found = std::ranges::find_if(
      caches, [&](const SysfsCache& c) { return c.level == level && c.type != unlike; });
  return found != caches.end() ? &*found : nullptr;
}

void take_first_level(const SysfsCache* found, std::string_view name, CacheModel& cache,
                      CpuModel& m) {
  if (found != nullptr) {
    cache = fitted(*found, cache, limits::kLine.least, true);
    m.sources.push_back(source_of(name, *found, cache));
  } else {
    m.sources.push_back(fmt::format("{}: not in sysfs: of {}", name, kCore));
  }
}

void take_caches(const std::vector<SysfsCache>& caches, CpuModel& m) {
  take_first_level(find(caches, 1, "Data"), "l1i", m.l1i, m);
  take_first_level(find(caches, 1, "Instruction"), "l1d", m.l1d, m);
  if (caches.empty()) {
    m.sources.push_back(fmt::format("l2, l3: not in sysfs: of {}", kCore));
    return;
  }
  // If sysfs has some caches, it has all of them. A third level without a second becomes the
  // second.
  const std::array like = {*m.l2, *m.l3};
  const std::array to = {&m.l2, &m.l3};
  m.l2.reset();
  m.l3.reset();
  std::size_t level = 0;
  unsigned line = std::max(m.l1i.line, m.l1d.line);
  for (const std::uint64_t sysfs_level : {2U, 3U}) {
    const SysfsCache* found = find(caches, sysfs_level, "Instruction");
    if (found == nullptr) continue;
    const CacheModel cache =
        fitted(*found, like[static_cast<std::size_t>(sysfs_level - 2)], line, false);
    *to[level] = cache;
    m.sources.push_back(source_of(level == 0 ? "l2" : "l3", *found, cache));
    line = cache.line;
    ++level;
  }
  if (level < 2)
    m.sources.push_back(fmt::format("{}: sysfs tells of none", level == 0 ? "l2, l3" : "l3"));
}

void take_frequency(const std::string& sysfs, std::string_view cpuinfo,
                    const std::optional<CoreClock>& clock, CpuModel& m) {
  constexpr std::string_view kFile = "devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";
  const auto take = [&](std::uint64_t hz, std::string_view source) {
    m.frequency_hz = clamped(hz, limits::kFrequency);
    m.sources.push_back(fmt::format("frequency: {}", source));
  };
  const auto khz = leading_number(first_line(fmt::format("{}/{}", sysfs, kFile)));
  const auto mhz = leading_number(cpuinfo_value(cpuinfo, {"cpu MHz"}));
  constexpr std::string_view kNotMeasured = "; it could not be measured";
  if (clock)
    take(clock->hz,
         fmt::format(
             "{:.2f} GHz, measured with chains of additions: the fastest quarter of them took "
             "the same time within {:.1f} %",
             static_cast<double>(clock->hz) / 1e9, 100 * clock->spread));
  else if (khz != 0)
    take(khz * 1'000, fmt::format("sysfs: cpuinfo_max_freq{}", kNotMeasured));
  else if (mhz != 0)
    take(mhz * 1'000'000, fmt::format("/proc/cpuinfo: cpu MHz{}", kNotMeasured));
  else
    take(m.frequency_hz,
         fmt::format("assumed: neither sysfs nor /proc/cpuinfo tells it{}", kNotMeasured));
}

}  // namespace

Result<CpuModel> host_model(const std::string& sysfs, const std::optional<CoreClock>& clock) {
  CpuModel m = present_day_core();
  const std::string cpuinfo = cpuinfo_text(std::filesystem::path(sysfs).parent_path());
  const std::string cpu = cpuinfo_value(cpuinfo, {"model name"});
  m.description = cpu.empty() ? "this machine's caches" : "this machine's caches: " + cpu;
  take_frequency(sysfs, cpuinfo, clock, m);
  take_caches(sysfs_caches(sysfs + "/devices/system/cpu/cpu0"), m);
  return m;
}

}  // namespace tacho

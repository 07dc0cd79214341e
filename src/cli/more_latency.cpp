// What `tacho latency` measures beside the sizes: independent chases, NUMA nodes, events, and pairs
// of CPUs.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>

#include "cli/access_counter.hpp"
#include "cli/native_latency.hpp"
#include "cli/say.hpp"
#include "latency/chase/kernels.hpp"
#include "latency/chase/machine.hpp"
#include "latency/chase/memory.hpp"
#include "latency/chase/round_trips.hpp"
#include "latency/chase/sizes.hpp"
#include "latency/chase/together.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "tacho/ticks.hpp"

namespace tacho {
namespace {

constexpr std::size_t kNodeBytes = std::size_t{256} << 20U;
constexpr chase::Effort kNodeEffort;
constexpr std::chrono::milliseconds kNodeTime{100};

std::size_t line_bytes(const LatencyReport& report) {
  const LatencySample& first = report.samples.front();
  return static_cast<std::size_t>(first.bytes / std::max<std::uint64_t>(first.lines, 1));
}

// A list that a level holds with room to spare, one a level: half its capacity, and of what has no
// end the largest list that was measured. Where no level was told apart, every size.
struct LevelList {
  std::string level;
  std::size_t bytes;
};
std::vector<LevelList> lists_of_levels(const LatencyReport& report) {
  std::uint64_t most = 0;
  for (const LatencySample& sample : report.samples)
    if (sample.layout == Layout::packed) most = std::max(most, sample.bytes);
  std::vector<LevelList> lists;
  if (report.inference.tiers.empty()) {
    for (const LatencySample& sample : report.samples)
      lists.push_back({"", static_cast<std::size_t>(sample.bytes)});
    std::ranges::sort(lists, {}, &LevelList::bytes);
    const auto twice = std::ranges::unique(lists, {}, &LevelList::bytes);
    lists.erase(twice.begin(), twice.end());
  }
  for (const Tier& tier : report.inference.tiers)
    lists.push_back({tier.name, tier.capacity ? static_cast<std::size_t>(tier.capacity_bytes / 2)
                                              : static_cast<std::size_t>(most)});
  return lists;
}

Result<void> measure_together(const LatencyOptions& options, bool huge, const chase::Stop& stop,
                              LatencyReport& report) {
  const auto lists = lists_of_levels(report);
  if (lists.empty()) return {};
  const std::size_t largest = std::ranges::max(lists, {}, &LevelList::bytes).bytes;
  const std::size_t line = line_bytes(report);
  const auto memory =
      chase::Memory::obtain(largest, huge ? chase::Pages::huge : chase::Pages::small);
  if (!memory) return std::unexpected(memory.error());
  chase::List list(memory->bytes(), {Layout::packed, line, memory->page_bytes()});
  for (const LevelList& each : lists) {
    list.resize(std::max<std::size_t>(each.bytes / line, 1));
    for (unsigned chases = 1; chases <= options.parallel; ++chases) {
      if (stop()) report.partial = true;
      if (report.partial) return {};
      say_progress(fmt::format("latency: {} chases at once through {} bytes", chases, each.bytes));
      if (const auto ns = chase::together_ns(list, chases, access_of(options), stop))
        report.together.push_back({each.level, list.lines() * line, chases, *ns});
    }
  }
  return {};
}

// A typical load, from a CPU of each node, of memory of each node.
void measure_nodes(const std::vector<chase::Node>& nodes, std::size_t bytes, chase::Access access,
                   const chase::Stop& stop, LatencyReport& report) {
  LatencyMatrix matrix{"memory of a node (column) from a node's CPU (row)", {}, {}, {}, false};
  for (const chase::Node& node : nodes) matrix.columns.push_back(node.number);
  for (const chase::Node& from : nodes) {
    if (from.cpus.empty() || !chase::keep_to(from.cpus.front())) continue;
    matrix.rows.push_back(from.number);
    for (const chase::Node& to : nodes) {
      say_progress(fmt::format("latency: node {} from node {}", to.number, from.number));
      std::optional<Estimated> ns;
      const auto memory = chase::Memory::obtain(bytes, chase::Pages::small, to.number);
      if (memory && !stop()) {
        chase::List list(memory->bytes(), {});
        list.resize(list.capacity());
        chase::Sampler sampler(access, chase::Timer::ticks, kNodeEffort, stop);
        if (auto run = sampler.measure(list, kNodeTime)) {
          run->sample.bytes = bytes;
          run->sample.lines = list.lines();
          run->sample.page_bytes = memory->page_bytes();
          // Of the ticks, by which this was timed wherever the rest was timed by the cycle counter.
          const auto found = infer_latency(std::span(&run->sample, 1), {}, tick_clock().hz);
          const SizeLatency& size = found.sizes.front();
          const double half = size.ci95 * size.ns / size.cycles;
          ns = Estimated{size.ns, size.ns - half, size.ns + half};
        }
      }
      matrix.ns.push_back(ns);
    }
  }
  report.nodes = std::move(matrix);
}

// So many accesses that their time is far more than what a program's start varies by.
std::size_t steps_for(double ns) {
  constexpr double kTime = 30e6;
  return static_cast<std::size_t>(std::clamp(kTime / std::max(ns, 0.1), 1e5, 2e7));
}

Result<void> measure_events(const LatencyOptions& options, LatencyReport& report) {
  auto choice = parse_pmu_option(options.pmu);
  if (!choice) return std::unexpected(choice.error());
  auto counter = AccessCounter::open(*choice, options.events);
  if (!counter) return std::unexpected(counter.error());
  const bool huge = options.pages == "huge";
  EventsOfSizes events{.pmu = counter->pmu(),
                       .page_bytes = huge ? chase::huge_page_bytes() : chase::small_page_bytes(),
                       .names = counter->names(),
                       .units = counter->units()};
  std::vector<std::uint64_t> counted;
  for (const SizeLatency& size : report.inference.sizes) {
    const bool again = std::ranges::find(counted, size.bytes) != counted.end();
    // Of a whole sweep, the powers of two are enough.
    const bool wanted = options.sizes || std::has_single_bit(size.bytes);
    if (size.layout != Layout::packed || again || !wanted) continue;
    counted.push_back(size.bytes);
    say_progress(fmt::format("latency: events at {} bytes", size.bytes));
    const Walk walk{.bytes = static_cast<std::size_t>(size.bytes),
                    .steps = steps_for(size.ns),
                    .line_bytes = line_bytes(report),
                    .access = access_of(options),
                    .huge_pages = huge};
    const auto lines = static_cast<std::size_t>(size.lines);
    auto values = counter->count(walk, std::min(2 * lines, walk.steps));
    if (!values && values.error().code != EINTR) return std::unexpected(values.error());
    if (!values) {
      report.partial = true;
      report.ended_by = counter->ended_by();
      break;
    }
    events.sizes.push_back({size.bytes, std::move(*values)});
  }
  events.reasons = counter->reasons();
  std::ranges::sort(events.sizes, {}, &AccessEvents::bytes);
  report.events = std::move(events);
  return {};
}

}  // namespace

Result<void> measure_more(const LatencyOptions& options, const chase::Stop& stop,
                          LatencyReport& report) {
  if (report.partial || report.samples.empty()) return {};
  const bool huge = std::ranges::any_of(report.samples, [](const LatencySample& sample) {
    return sample.page_bytes > chase::small_page_bytes();
  });
  if (options.parallel != 0)
    if (auto done = measure_together(options, huge, stop, report); !done) return done;
  if (!options.events.empty() && !report.partial)
    if (auto done = measure_events(options, report); !done) return done;
  const auto nodes = chase::memory_nodes();
  if (nodes.size() > 1 && !report.partial) {
    std::uint64_t most = 0;
    for (const LatencySample& sample : report.samples) most = std::max(most, sample.bytes);
    measure_nodes(nodes, std::min(static_cast<std::size_t>(most), kNodeBytes), access_of(options),
                  stop, report);
  }
  say_progress("");
  return {};
}

Result<LatencyMatrix> measure_cores(const chase::Stop& stop) {
  const std::vector<int> cpus = chase::allowed_cpus();
  if (cpus.size() < 2)
    return failure("--cores needs two CPUs, and this process may use one only",
                   "allow it more of them (taskset, the container's cpuset)");
  LatencyMatrix matrix{"core to core and back", cpus, cpus, {}, false};
  for (const int from : cpus)
    for (const int to : cpus) {
      say_progress(fmt::format("latency: CPU {} to CPU {}", from, to));
      matrix.ns.push_back(from == to || stop() ? std::nullopt
                                               : chase::round_trip_ns(from, to, stop));
    }
  matrix.partial = stop();
  say_progress("");
  return matrix;
}

}  // namespace tacho

#include "latency/node_latencies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/cpus.hpp"
#include "latency/chase/memory.hpp"
#include "latency/chase/memory_nodes.hpp"
#include "latency/chase/sampler.hpp"
#include "latency/inference/infer.hpp"
#include "tacho/ticks.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20U;
constexpr std::chrono::milliseconds kLongest{100};  // for the samples of each kind

// A typical load from memory of a node. None if it has none to give, or when stopped.
std::optional<Estimated> load_ns(std::size_t bytes, int node, chase::Sampler& sampler,
                                 const chase::Stop& stop) {
  const auto memory = chase::Memory::obtain(bytes, chase::Pages::small, node);
  if (!memory || stop()) return std::nullopt;
  chase::List list(memory->bytes(), {});
  list.resize(list.capacity());
  auto sample = sampler.measure(list, kLongest);
  if (!sample) return std::nullopt;
  sample->bytes = bytes;
  sample->lines = list.lines();
  sample->page_bytes = memory->page_bytes();
  // These loads are timed by ticks, also where the others are timed by the cycle counter.
  const auto found = infer_latency(std::span(&*sample, 1), {}, tick_clock().hz);
  const SizeLatency& size = found.sizes.front();
  const double half = size.ci95 * size.ns / size.cycles;
  return Estimated{size.ns, size.ns - half, size.ns + half};
}

}  // namespace

void measure_memory_nodes(chase::Access access, const chase::Stop& stop,
                          const LatencyProgress& progress, LatencyReport& report) {
  const auto nodes = chase::memory_nodes();
  if (nodes.size() < 2) return;
  std::uint64_t most = 0;
  for (const LatencySample& sample : report.samples) most = std::max(most, sample.bytes);
  const std::size_t bytes = std::min(static_cast<std::size_t>(most), kMostBytes);
  LatencyMatrix matrix{"memory of a node (column) from a node's CPU (row)", {}, {}, {}, false};
  for (const chase::Node& node : nodes) matrix.columns.push_back(node.number);
  for (const chase::Node& from : nodes) {
    if (from.cpus.empty() || !keep_to_cpu(from.cpus.front())) continue;
    matrix.rows.push_back(from.number);
    for (const chase::Node& to : nodes) {
      progress(fmt::format("latency: node {} from node {}", to.number, from.number));
      chase::Sampler sampler(access, chase::Timer::ticks, {}, stop);
      matrix.ns.push_back(load_ns(bytes, to.number, sampler, stop));
    }
  }
  report.nodes = std::move(matrix);
}

}  // namespace tacho

#include "simulation/simulator_input.hpp"

#include <fmt/format.h>

#include "simulation/model_limits.hpp"

namespace tacho {
namespace {

std::string cache_line(std::string_view name, const CacheModel& cache) {
  return fmt::format("cache {} {} {} {} {:d} {:d} {} {}\n", name, cache.size, cache.ways,
                     cache.line, static_cast<int>(cache.replacement), cache.write_allocate,
                     cache.latency, cache.bandwidth);
}

std::string tlb_line(std::string_view name, const TlbModel& tlb) {
  return fmt::format("tlb {} {} {} {} {:d} {}\n", name, tlb.entries, tlb.ways, tlb.victims,
                     static_cast<int>(tlb.replacement), tlb.latency);
}

// Uses that the operation does not have are 0.
std::string operation_line(std::string_view name, const Operation& operation) {
  std::string text = fmt::format("operation {} {} {}", name, operation.latency, operation.slots);
  for (std::size_t i = 0; i < kMostUses; ++i) {
    const PortUse use = i < operation.uses.size() ? operation.uses[i] : PortUse{};
    text += fmt::format(" {} {}", use.ports, use.cycles);
  }
  return text + "\n";
}

}  // namespace

std::string to_simulator_input(const CpuModel& m, std::uint64_t shortest_slice_ns,
                               std::uint64_t longest_slice_ns) {
  const Latencies& l = m.latencies;
  const BranchModel& b = m.branch;
  std::string text = "tacho-model 4\n";
  text += fmt::format("frequency_hz {}\n", m.frequency_hz);
  text += fmt::format("slice_ns {} {}\n", shortest_slice_ns, longest_slice_ns);
  text += fmt::format("core {} {:d} {}\n", m.issue_width, m.in_order, m.store_percent);
  text += fmt::format("latency {} {} {} {} {} {}\n", l.integer, l.multiply, l.divide, l.float_add,
                      l.float_multiply, l.float_divide);
  text += fmt::format("fusion {:d} {:d}\n", m.fuses_memory, m.fuses_branches);
  text += fmt::format("window {} {} {} {}\n", m.window.instructions, m.window.misses,
                      m.window.stores, m.window.walks);
  text += cache_line("l1i", m.l1i);
  text += cache_line("l1d", m.l1d);
  text += cache_line("l2", m.l2.value_or(CacheModel{}));
  text += cache_line("l3", m.l3.value_or(CacheModel{}));
  text += fmt::format("memory {}\n", m.memory_latency);
  text += fmt::format("page {}\n", m.page);
  text += fmt::format("prefetch {} {} {}\n", m.prefetcher.streams, m.prefetcher.distance,
                      m.prefetcher.line_cycles);
  text += tlb_line("itlb", m.itlb);
  text += tlb_line("dtlb", m.dtlb);
  text += tlb_line("main", m.main_tlb.value_or(TlbModel{}));
  text += fmt::format("walk {}\n", m.walk_latency);
  text += fmt::format("branch {:d} {} {} {} {} {}\n", static_cast<int>(b.direction), b.entries,
                      b.history, b.targets, b.returns, b.mispredict);
  text += fmt::format("tage {} {}\n", b.tage.table_entries, b.tage.loops);
  text += "histories";
  for (std::size_t i = 0; i < limits::kHistories.most; ++i)
    text += fmt::format(" {}", i < b.tage.histories.size() ? b.tage.histories[i] : 0);
  text += '\n';
  for (std::size_t i = 0; i < m.operations.size(); ++i)
    text += operation_line(kOperationClasses[i].name, m.operations[i]);
  return text + "end\n";
}

}  // namespace tacho

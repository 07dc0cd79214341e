#include "pmu/trust/belief.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <utility>

#include "pmu/trust/known_loop.hpp"

namespace tacho {
namespace {

// Counts in addition to the loop's: the system calls that turn the counter on and off, and the
// return paths of a few interrupts. This is more than any real counter showed, and less than the
// error of a wrong counter.
constexpr double kSlack = 5'000;
// The most counts for a unit of work of a counter that also counts speculated, prefetched or kernel
// work.
constexpr double kGenerous = 100;
constexpr double kExact = kLoopIsExact ? 1 : kGenerous;
// The most instructions that a core retires in a cycle of the loop, in which each second
// instruction is a taken branch.
constexpr double kMostPerCycle = 16;
// The most cycles for an instruction of a loop that is interrupted.
constexpr double kMostCycles = 1'000;
// A core may serve some loads and stores without its cache, but not more than this share.
constexpr double kHalf = 0.5;

// Iterations of the short run: about 20 µs for both runs on a fast core.
constexpr std::uint32_t kSteps = 20'000;
constexpr std::uint32_t kAccesses = 10'000;

constexpr std::uint64_t cache(std::uint64_t which, std::uint64_t operation) {
  return which | operation << 8U | std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_ACCESS} << 16U;
}

// Some events have no certain lower bound and are left out: all misses; TLB loads, which count
// misses of the first level on some cores; and branch-loads, because loop buffers need no
// prediction.
constexpr auto kYardsticks = std::to_array<Yardstick>({
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions", "instructions", run_known_loop,
     kSteps, kLoopInstructions, 1, kExact},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles", "instructions", run_known_loop, kSteps,
     kLoopInstructions, 1 / kMostPerCycle, kMostCycles},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches", "branches", run_known_loop,
     kSteps, kLoopBranches, 1, kGenerous},
    {PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_OP_READ),
     "L1-dcache-loads", "loads", run_known_accesses, kAccesses, kLoopLoads, kHalf, kGenerous},
    {PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_OP_WRITE),
     "L1-dcache-stores", "stores", run_known_accesses, kAccesses, kLoopStores, kHalf, kGenerous},
    {PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_L1I, PERF_COUNT_HW_CACHE_OP_READ),
     "L1-icache-loads", "lines of code", run_known_code, 1, kLoopLines, kHalf, kGenerous},
    // Clocks with another rate than the core's: they can be slow, but must advance.
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "bus-cycles", "instructions", run_known_loop,
     kSteps, kLoopInstructions, 0, kMostCycles},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles", "instructions", run_known_loop,
     kSteps, kLoopInstructions, 0, kMostCycles},
});
constexpr const Yardstick* kInstructions = kYardsticks.data();
constexpr const Yardstick* kCycles = kInstructions + 1;
constexpr const Yardstick* kBranches = kInstructions + 2;
constexpr const Yardstick* kDataLoads = kInstructions + 3;
constexpr const Yardstick* kCodeLoads = kInstructions + 5;

// The events whose judgement another event shares: misses and stalls share the judgement of the
// accesses or cycles in which they happen. Cache events are found by the cache alone, without the
// operation and the result.
struct Companions {
  std::uint32_t type;
  std::uint64_t which;
  std::array<const Yardstick*, 2> yardsticks;  // unused places are null
};
constexpr auto kCompanions = std::to_array<Companions>({
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, {kBranches}},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, {kDataLoads}},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, {kDataLoads}},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, {kCycles}},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, {kCycles}},
    {PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D, {kDataLoads}},
    {PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1I, {kCodeLoads, kDataLoads}},
    {PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL, {kDataLoads}},
    {PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_DTLB, {kDataLoads}},
    {PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_ITLB, {kCodeLoads, kDataLoads}},
    {PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_BPU, {kBranches}},
    {PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_NODE, {kDataLoads}},
});

constexpr std::uint64_t kConfigWithoutPmu = 0xffffffff;
constexpr std::uint64_t kWhichCache = 0xff;

Judgement found(Belief belief, std::string reason = {}) {
  Judgement judged;
  judged.belief = belief;
  judged.reason = std::move(reason);
  return judged;
}

Judgement judge_run(const Yardstick& yardstick, std::uint64_t work, std::uint64_t count,
                    double most) {
  if (count == 0)
    return found(Belief::dead, fmt::format("'{}' reads 0 over a loop of {} {}", yardstick.name,
                                           work, yardstick.unit));
  const auto known = static_cast<double>(work);
  const auto counted = static_cast<double>(count);
  if (counted < known * yardstick.least || counted > known * most + kSlack)
    return found(Belief::garbage, fmt::format("'{}' counts a loop of {} {} as {}", yardstick.name,
                                              work, yardstick.unit, count));
  return found(Belief::plausible);
}

}  // namespace

const Yardstick& instructions_yardstick() {
  return *kInstructions;
}

const Yardstick& cycles_yardstick() {
  return *kCycles;
}

const Yardstick* yardstick_of(const Event& event) {
  const auto* const row_of = std::ranges::find_if(kYardsticks, [&](const Yardstick& row) {
    return row.type == event.type && row.config == (event.config & kConfigWithoutPmu);
  });
  return row_of == kYardsticks.end() ? nullptr : row_of;
}

std::span<const Yardstick* const> companions_of(const Event& event) {
  const std::uint64_t mask = event.type == PERF_TYPE_HW_CACHE ? kWhichCache : kConfigWithoutPmu;
  const auto* const row_of = std::ranges::find_if(kCompanions, [&](const Companions& row) {
    return row.type == event.type && row.which == (event.config & mask);
  });
  if (row_of == kCompanions.end()) return {};
  const auto& all = row_of->yardsticks;
  return std::span(all).first(
      static_cast<std::size_t>(std::ranges::find(all, nullptr) - all.begin()));
}

Judgement judge(const Yardstick& yardstick, const Trial& trial) {
  const double most = trial.user_only ? yardstick.most : std::max(yardstick.most, kGenerous);
  if (!trial.ran)
    return found(Belief::dead,
                 fmt::format("'{}' never gets a counter (someone else holds the PMU, or it serves "
                             "other CPUs)",
                             yardstick.name));
  Judgement judged = judge_run(yardstick, yardstick.short_work(), trial.counts[0], most);
  const Judgement longer = judge_run(yardstick, yardstick.long_work(), trial.counts[1], most);
  if (longer.belief > judged.belief) judged = longer;
  const bool grows = yardstick.least == 0 || trial.counts[0] != trial.counts[1];
  if (judged.belief == Belief::plausible && !grows)
    judged = found(Belief::garbage,
                   fmt::format("'{}' does not grow with the length of a loop", yardstick.name));
  judged.trial = trial;
  return judged;
}

}  // namespace tacho

#include "doctor/prove/known_counts.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "doctor/prove/loops.hpp"
#include "pmu/trust/known_loop.hpp"

namespace tacho::prove {
namespace {

constexpr std::uint32_t kKnownLoops = 1'000'000;
constexpr std::uint32_t kAccesses = 500'000;
constexpr std::uint32_t kChains = 4'000;
constexpr int kChainTries =
    5;  // a busy neighbour can only make a chain slower: the fastest run counts

// Instructions and branches are exact but for interrupts, which some cores count as one each, and
// for the system calls that turn the counter on and off. Kernel mode adds these whole.
constexpr double kExact = 0.005;
constexpr double kCountWithKernel = 0.1;
// Loads and stores may be speculated or repeated.
constexpr double kAccessesTolerance = 0.1;
// The branch of an iteration costs a core that works in order up to 3 cycles beside 256.
constexpr double kChainTolerance = 0.03;
// A multiplication takes at least this many times longer on a real core.
constexpr double kChainsAlike = 1.5;

// How near to one cycle in a nanosecond a clock is. Kernel mode is left out of cycles only.
constexpr double kNanosecond = 0.03;

struct CountedOnce {
  std::uint64_t count = 0;
  std::uint64_t enabled_ns = 0;
  bool user_only = true;
};

// Counts an event over a loop of the calling thread. The result is either the count, or why there
// is none.
struct CountOrReason {
  std::optional<CountedOnce> counted;
  Proof reason;
};
CountOrReason count_once(const Bench& bench, std::string_view event,
                         const std::function<void()>& loop) {
  const auto opened = open_events(bench, std::array{event}, Self{});
  if (!opened) return {std::nullopt, not_proved(opened.error())};
  const auto readings = count_during(*opened, loop);
  if (!readings) return {std::nullopt, failed(readings.error())};
  const Reading& reading = readings->front();
  if (reading.running_ns == 0)
    return {std::nullopt,
            not_proved(fmt::format("{} never got a counter: someone else uses the PMU", event),
                       "end other programs that count")};
  if (reading.running_ns < reading.enabled_ns)
    return {std::nullopt, not_proved(fmt::format("{} had a counter only part of the time", event),
                                     "end other programs that count")};
  return {CountedOnce{reading.value, reading.enabled_ns, opened->user_only}, {}};
}

Proof prove_count(const Bench& bench, std::string_view event, std::uint64_t known) {
  const auto [counted, reason] = count_once(bench, event, [] { run_known_loop(kKnownLoops); });
  return counted ? judge_known_count(event, counted->count, known, counted->user_only) : reason;
}

Proof prove_accesses(const Bench& bench, std::string_view event, std::string_view unit) {
  const auto [counted, reason] = count_once(bench, event, [] { run_known_accesses(kAccesses); });
  return counted ? judge_accesses(unit, counted->count, kAccesses) : reason;
}

bool is_nanosecond(double cycles_per_ns) {
  return std::abs(cycles_per_ns - 1) < kNanosecond;
}

void keep_faster(ChainCycles& fastest, const CountedOnce& counted, double operations) {
  const auto cycles = static_cast<double>(counted.count);
  if (cycles / operations >= fastest.per_operation) return;
  fastest = {.per_operation = cycles / operations,
             .per_ns = cycles / static_cast<double>(counted.enabled_ns)};
}

}  // namespace

Proof judge_known_count(std::string_view unit, std::uint64_t counted, std::uint64_t known,
                        bool user_only) {
  const Figure figure{
      .name = std::string(unit),
      .measured = static_cast<double>(counted),
      .expected = static_cast<double>(known),
      .tolerance = static_cast<double>(known) * (user_only ? kExact : kCountWithKernel),
      .unit = std::string(unit)};
  return judged(figure_text(figure), {figure});
}

Proof judge_accesses(std::string_view unit, std::uint64_t counted, std::uint64_t loads_or_stores) {
  const auto known = static_cast<double>(loads_or_stores);
  const bool both = static_cast<double>(counted) > 1.5 * known;
  Figure figure{.name = std::string(unit),
                .measured = static_cast<double>(counted),
                .expected = both ? 2 * known : known,
                .tolerance = kAccessesTolerance * known * (both ? 2 : 1),
                .unit = both ? "loads and stores" : std::string(unit)};
  std::string detail = figure_text(figure);
  if (both && figure.right()) detail += fmt::format("; this core's event of {} counts both", unit);
  return judged(std::move(detail), {std::move(figure)});
}

Proof judge_cycles(const ChainCycles& exclusive_ors, const ChainCycles& multiplications) {
  const Figure figure{.name = "cycles per operation",
                      .measured = exclusive_ors.per_operation,
                      .expected = 1,
                      .tolerance = kChainTolerance,
                      .unit = "cycles an operation"};
  const bool instructions =
      multiplications.per_operation < kChainsAlike * exclusive_ors.per_operation;
  const bool nanoseconds = !figure.right() && is_nanosecond(exclusive_ors.per_ns) &&
                           is_nanosecond(multiplications.per_ns);
  if (!instructions && !nanoseconds) return judged(figure_text(figure), {figure});
  Proof proof = not_proved(
      fmt::format(
          "an exclusive or takes {:.3g} cycles, a multiplication {:.3g}: an emulator counts "
          "{} as cycles",
          exclusive_ors.per_operation, multiplications.per_operation,
          nanoseconds ? "nanoseconds" : "instructions"),
      "run on a real processor");
  proof.figures = {figure};
  return proof;
}

Proof prove_instructions(const Bench& bench) {
  return prove_count(bench, "instructions", kLoopInstructions * kKnownLoops);
}

Proof prove_branches(const Bench& bench) {
  return prove_count(bench, "branches", kLoopBranches * kKnownLoops);
}

Proof prove_loads(const Bench& bench) {
  return prove_accesses(bench, "L1-dcache-loads", "loads");
}

Proof prove_stores(const Bench& bench) {
  return prove_accesses(bench, "L1-dcache-stores", "stores");
}

Proof prove_cycles(const Bench& bench) {
  if (!kHasChains) return not_proved("there is no chain of known cycles for this architecture");
  constexpr double kOperations = static_cast<double>(kChainLength) * kChains;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  ChainCycles chain{.per_operation = kNever, .per_ns = 0};
  ChainCycles multiplications = chain;
  for (int i = 0; i < kChainTries; ++i) {
    const auto fast = count_once(bench, "cycles", [] { run_chain(kChains); });
    if (!fast.counted) return fast.reason;
    const auto slow = count_once(bench, "cycles", [] { run_multiplications(kChains); });
    if (!slow.counted) return slow.reason;
    keep_faster(chain, *fast.counted, kOperations);
    keep_faster(multiplications, *slow.counted, kOperations);
  }
  return judge_cycles(chain, multiplications);
}

}  // namespace tacho::prove

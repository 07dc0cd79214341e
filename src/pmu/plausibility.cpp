#include "pmu/plausibility.hpp"

#include <fmt/format.h>

#include <array>

#include "pmu/known_loop.hpp"
#include "pmu/pmu.hpp"

namespace tacho {
namespace {

constexpr std::uint32_t kShort = 50'000;  // iterations: about 15 µs on a fast core
// Instructions beyond the loop: the system calls that turn the counters, and a few interrupts'
// return paths. Far more than was ever seen, far less than a wrong counter's error.
constexpr std::uint64_t kSlack = 5'000;
// No core retires more than this in a cycle of such a loop (two instructions a taken branch).
constexpr std::uint64_t kMostPerCycle = 16;
// Nor does an interrupted loop take this many cycles an instruction.
constexpr std::uint64_t kMostCycles = 1'000;

std::string judge(std::uint64_t known, std::uint64_t instructions, std::uint64_t cycles) {
  if (instructions == 0) return "'instructions' reads zero";
  if (cycles == 0) return "'cycles' reads zero";
  if (instructions < known || instructions > known + kSlack)
    return fmt::format("a loop of {} instructions counted as {}", known, instructions);
  if (cycles * kMostPerCycle < known || cycles > known * kMostCycles)
    return fmt::format("a loop of {} instructions counted as {} cycles", known, cycles);
  return {};
}

}  // namespace

std::string implausibility(const LoopCounts& c) {
  if (!c.ran) return "the counters never got the PMU";
  std::string wrong = judge(c.known_short, c.instructions_short, c.cycles_short);
  if (wrong.empty()) wrong = judge(c.known_long, c.instructions_long, c.cycles_long);
  if (wrong.empty() && c.cycles_long == c.cycles_short)
    wrong = "'cycles' does not grow with the length of a loop";
  return wrong;
}

Result<LoopCounts> check_plausibility(Pmu& pmu) {
  std::array<Event, 2> events;
  constexpr std::array kNames = {"instructions:u", "cycles:u"};
  for (std::size_t i = 0; i < events.size(); ++i) {
    auto event = pmu.resolve(kNames[i]);
    if (!event) return std::unexpected(event.error());
    events[i] = std::move(*event);
  }
  auto group = pmu.open(events, Self{}, Start::stopped);
  if (!group) return std::unexpected(group.error());

  std::array<Reading, 2> before{};
  std::array<Reading, 2> after{};
  const auto count = [&](std::uint32_t iterations) -> Result<std::uint64_t> {
    before = after;
    if (auto on = (*group)->enable(); !on) return std::unexpected(on.error());
    const std::uint64_t known = run_known_loop(iterations);
    if (auto off = (*group)->disable(); !off) return std::unexpected(off.error());
    if (auto read = (*group)->read(after); !read) return std::unexpected(read.error());
    return known;
  };
  LoopCounts counts;
  const auto known_short = count(kShort);
  if (!known_short) return std::unexpected(known_short.error());
  counts.known_short = *known_short;
  counts.instructions_short = after[0].value - before[0].value;
  counts.cycles_short = after[1].value - before[1].value;
  const auto known_long = count(2 * kShort);
  if (!known_long) return std::unexpected(known_long.error());
  counts.known_long = *known_long;
  counts.instructions_long = after[0].value - before[0].value;
  counts.cycles_long = after[1].value - before[1].value;
  counts.ran = after[0].running_ns > 0;
  if (std::string wrong = implausibility(counts); !wrong.empty())
    return failure("the hardware counters are not believed: " + wrong,
                   "see 'tacho doctor'; --pmu hardware uses them all the same");
  return counts;
}

}  // namespace tacho

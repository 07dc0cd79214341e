#include "doctor/prove/branch_stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "doctor/prove/taken_samples.hpp"
#include "stats/quantile.hpp"

namespace tacho::prove {
namespace {

constexpr double kStackSeconds = 0.3;
constexpr std::uint32_t kStackSlice = 20'000;
constexpr double kEntryShare = 0.9;  // of the entries; the others are of calls and of system calls
constexpr std::size_t kFewestEntries = 100;
// Between two samples: prime numbers, about a thousand samples a second.
constexpr std::uint64_t kSampledCycles = 1'000'003;
constexpr std::uint64_t kSampledBranches = 4'001;
// An iteration is a chain of 256 cycles. A core that works in order adds the branch.
constexpr double kIterationTolerance = 8;

}  // namespace

Proof judge_branches(std::span<const perfdata::Branch> entries, const ChainCode& code) {
  std::vector<double> cycles;
  std::size_t right = 0;
  for (const perfdata::Branch& entry : entries) {
    if (entry.from != code.branch || entry.to != code.begin) continue;
    ++right;
    if (entry.cycles > 0) cycles.push_back(entry.cycles);
  }
  if (entries.size() < kFewestEntries)
    return too_few("entries", entries.size(), kFewestEntries, " of branch stacks");
  std::vector<Figure> figures{
      {.name = "entries of the loop's branch",
       .measured = 100 * static_cast<double>(right) / static_cast<double>(entries.size()),
       .expected = 100,
       .tolerance = 100 * (1 - kEntryShare),
       .unit = "%"}};
  std::string detail =
      fmt::format("{:.1f} % of {} entries are of the loop's branch ({:.0f} % must)",
                  figures[0].measured, entries.size(), 100 * kEntryShare);
  if (cycles.empty()) return judged(detail + "; they have no cycles", std::move(figures));
  figures.push_back({.name = "cycles of an iteration",
                     .measured = median(cycles),
                     .expected = static_cast<double>(kChainLength),
                     .tolerance = kIterationTolerance,
                     .unit = "cycles"});
  detail += "; an iteration takes " + figure_text(figures.back());
  return judged(std::move(detail), std::move(figures));
}

Proof prove_branch_stacks(const Bench& bench) {
  if (!kHasChains) return not_proved("there is no loop of known code for this architecture");
  const auto cycles = bench.pmu.resolve(bench.subject.user_event("cycles"));
  if (!cycles) return not_proved(cycles.error());
  SampleSpec spec{.period = kSampledCycles, .branches = true};
  auto sampler = open_sampler(bench, *cycles, spec);
  if (!sampler) {
    // AMD's BRS (Zen 3) wants taken branches. Only its PMU has this name.
    const auto taken = bench.pmu.resolve(fmt::format("{}/branch-brs/u", bench.subject.pmu));
    spec.period = kSampledBranches;
    auto other = taken ? open_sampler(bench, *taken, spec) : std::unexpected(taken.error());
    if (!other) return not_proved(sampler.error());
    sampler = std::move(other);
  }
  const auto taken = take_samples(**sampler, spec, kStackSeconds, [] { run_chain(kStackSlice); });
  if (!taken) return failed(taken.error());
  const ChainCode code = chain_code();
  std::vector<perfdata::Branch> entries;
  for (const TakenSample& sample : taken->samples)
    if (sample.ip >= code.begin && sample.ip < code.end)
      entries.insert(entries.end(), sample.branches.begin(), sample.branches.end());
  return judge_branches(entries, code);
}

}  // namespace tacho::prove

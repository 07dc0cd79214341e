#include "doctor/prove/addresses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "doctor/prove/taken_samples.hpp"
#include "events/abi.hpp"

namespace tacho::prove {
namespace {

constexpr double kAddressSeconds = 0.3;
constexpr std::uint32_t kAddressSlice = 20'000;
// By frequency, because how often an event happens is known of real counters only: an emulator's
// may be a thousand times as fast, and samples of each thousandth of it would take all of the time.
constexpr std::uint64_t kSamplesPerSecond = 2'000;
// Of the samples; the others fall into the readings between.
constexpr double kSharePrecise = 0.95;
constexpr double kShareOrdinary = 0.9;
constexpr std::size_t kFewestAddresses = 20;

// The distance in bytes of the code, around the loop, from the branch on.
std::uint64_t skid_of(std::uint64_t address, const ChainCode& code) {
  if (address >= code.branch) return address - code.branch;
  return address - code.begin + (code.end - code.branch);
}

Proof sample_and_judge(const Bench& bench, const Event& event, bool of_branches) {
  const SampleSpec spec{
      .period = {}, .frequency = std::min(kSamplesPerSecond, bench.pmu.default_rate().frequency)};
  const auto sampler = open_sampler(bench, event, spec);
  if (!sampler) return not_proved(sampler.error());
  const auto taken =
      take_samples(**sampler, spec, kAddressSeconds, [] { run_chain(kAddressSlice); });
  if (!taken) return failed(taken.error());
  std::vector<std::uint64_t> addresses;
  for (const TakenSample& sample : taken->samples) addresses.push_back(sample.ip);
  return judge_addresses(addresses, chain_code(), event.precise > 0, of_branches);
}

}  // namespace

Proof judge_addresses(std::span<const std::uint64_t> addresses, const ChainCode& code, bool precise,
                      bool of_branches) {
  if (addresses.size() < kFewestAddresses)
    return too_few("samples", addresses.size(), kFewestAddresses);
  std::vector<std::uint64_t> skids;
  std::size_t right = 0;
  for (const std::uint64_t address : addresses) {
    const bool inside = address >= code.begin && address < code.end;
    right += (precise ? address == code.branch : inside) ? 1U : 0U;
    if (inside) skids.push_back(skid_of(address, code));
  }
  const auto all = static_cast<double>(addresses.size());
  const double share = precise ? kSharePrecise : kShareOrdinary;
  const Figure figure{.name = precise ? "samples of the branch" : "samples in the loop",
                      .measured = 100 * static_cast<double>(right) / all,
                      .expected = 100,
                      .tolerance = 100 * (1 - share),
                      .unit = "%"};
  std::string detail = fmt::format(
      "{:.1f} % of {} samples are {} ({:.0f} % must)", figure.measured, addresses.size(),
      precise ? "of the loop's only branch" : "in the loop", 100 * share);
  if (of_branches && !skids.empty()) {
    std::ranges::nth_element(skids, skids.begin() + static_cast<std::ptrdiff_t>(skids.size() / 2));
    detail += fmt::format("; half of them are {} bytes or more behind the branch",
                          skids[skids.size() / 2]);
  }
  return judged(std::move(detail), {figure});
}

Proof prove_addresses(const Bench& bench) {
  if (!kHasChains) return not_proved("there is no loop of known code for this architecture");
  if (!bench.subject.core) {
    const auto clock = bench.pmu.resolve(bench.subject.user_event("cpu-clock"));
    if (!clock) return not_proved(clock.error());
    return sample_and_judge(bench, *clock, false);
  }
  // Some PMUs count no branches. Then cycles show whether the addresses are right, but not the
  // skid.
  const bool of_branches =
      open_events(bench, std::array<std::string_view, 1>{"branches"}, Self{}).has_value();
  const std::string name = bench.subject.user_event(of_branches ? "branches" : "cycles");
  const auto event = bench.pmu.resolve(name);
  if (!event) return not_proved(event.error());
  return sample_and_judge(bench, *event, of_branches);
}

Proof prove_precise_addresses(const Bench& bench) {
  if (!kHasChains) return not_proved("there is no loop of known code for this architecture");
  auto branches = bench.pmu.resolve(bench.subject.user_event("branches"));
  if (!branches) return not_proved(branches.error());
  constexpr std::uint8_t kNoSkid = 2;  // "the sample has no skid, if possible" (perf_event_open(2))
  branches->precise = kNoSkid;
  return sample_and_judge(bench, *branches, true);
}

}  // namespace tacho::prove

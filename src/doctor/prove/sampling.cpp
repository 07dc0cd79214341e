#include "doctor/prove/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "doctor/prove/clocks.hpp"
#include "doctor/prove/loops.hpp"
#include "doctor/prove/taken_samples.hpp"

namespace tacho::prove {
namespace {

constexpr double kSampleTolerance = 0.01;  // relative
// The period that had begun at the end has no sample, and the first one may be an odd one.
constexpr double kPeriods = 2;
// Iterations of the chain: half a million operations, so that an interruption is much longer.
constexpr std::uint32_t kSampleSlice = 2'000;
// If the hypervisor has the CPU for a greater part of the time, too little is right.
constexpr double kMostStolen = 0.1;

Result<Event> sampled_event(const Bench& bench) {
  return bench.pmu.resolve(bench.subject.core ? bench.subject.user_event("cycles") : "cpu-clock");
}

void busy_slice() {
  run_chain(kSampleSlice);
}

Proof prove_sampling(const Bench& bench, std::uint64_t frequency, double seconds) {
  const auto event = sampled_event(bench);
  if (!event) return not_proved(event.error());
  const SampleSpec spec{.period = {}, .frequency = frequency};
  const auto sampler = open_sampler(bench, *event, spec);
  if (!sampler) return not_proved(sampler.error());
  Opened beside;
  if (bench.subject.core) {
    auto opened = open_events(bench, std::array<std::string_view, 1>{"cycles"}, Self{});
    if (!opened) return not_proved(opened.error());
    beside = std::move(*opened);
  }
  const int cpu = bench.subject.cpus.back();
  const double stolen = stolen_seconds(cpu);
  Result<Taken> taken;
  const auto sample = [&] { taken = take_samples(**sampler, spec, seconds, busy_slice); };
  Result<std::vector<Reading>> counted = std::vector<Reading>(1);
  if (bench.subject.core)
    counted = count_during(beside, sample);
  else
    sample();
  if (!taken) return failed(taken.error());
  if (!counted) return failed(counted.error());
  if (taken->throttled > 0)
    return not_proved("the kernel stopped sampling for a while: samples took too much time",
                      "sudo sysctl kernel.perf_cpu_time_max_percent=0");
  SampledSum sum{.samples = taken->samples.size(), .unit = bench.subject.core ? "cycles" : "ns"};
  for (const TakenSample& each : taken->samples) sum.weight += static_cast<double>(each.period);
  constexpr double kNs = 1e9;
  sum.counted =
      bench.subject.core ? static_cast<double>(counted->front().value) : kNs * taken->cpu_s;
  if (!bench.subject.core)
    sum.stolen = kNs * std::max(stolen_seconds(cpu) - stolen, taken->interrupted_s);
  return judge_sampling(sum);
}

}  // namespace

Proof judge_sampling(const SampledSum& sum) {
  if (sum.samples == 0)
    return failed("no sample at all", {{.name = "samples × periods",
                                        .measured = 0,
                                        .expected = sum.counted,
                                        .tolerance = kSampleTolerance * sum.counted,
                                        .unit = std::string(sum.unit)}});
  const double period = sum.weight / static_cast<double>(sum.samples);
  const Figure figure{.name = "samples × periods",
                      .measured = sum.weight,
                      .expected = sum.counted,
                      .tolerance = kSampleTolerance * sum.counted + kPeriods * period + sum.stolen,
                      .unit = std::string(sum.unit)};
  Proof proof =
      judged(fmt::format("{} samples × periods of {:.4g} make {:.1f} % of {:.4g} {} (± {:.1f})",
                         sum.samples, period, 100 * sum.weight / sum.counted, sum.counted, sum.unit,
                         100 * figure.tolerance / sum.counted),
             {figure});
  if (proof.outcome == Outcome::proved && sum.stolen > kMostStolen * sum.counted) {
    proof.outcome = Outcome::not_proved;
    proof.detail += fmt::format("; the hypervisor had the CPU for {:.0f} % of the time",
                                100 * sum.stolen / sum.counted);
    proof.remedy = "leave the machine, and its host, alone meanwhile";
  }
  return proof;
}

Proof prove_sampling_slowly(const Bench& bench) {
  return prove_sampling(bench, 99, 1.0);
}

Proof prove_sampling_fast(const Bench& bench) {
  return prove_sampling(bench, 4'000, 0.5);
}

}  // namespace tacho::prove

#include "pmu/perf/sampling_refused.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <string>

#include "base/file.hpp"
#include "pmu/perf/amd_sampling.hpp"
#include "pmu/perf/fallbacks.hpp"

namespace tacho {
namespace {

// Adds the causes that only sampling has to an error of perf_open.
Error meaning(Error error, const Event& event, PerfOpen how, const SampleSpec& spec) {
  const auto highest = highest_frequency();
  if (error.code == EINVAL && !spec.period && highest && spec.frequency > *highest)
    return {fmt::format("the kernel samples at most {} times a second", *highest),
            fmt::format("-F {}, or sudo sysctl kernel.perf_event_max_sample_rate={}", *highest,
                        spec.frequency),
            error.code};
  if (error.code == EINVAL && spec.clock_needed) {
    PerfOpen other = how;
    other.sampling->spec.clock.reset();
    if (open_with_fallbacks(event, other))
      return {"the kernel does not take the times of this event from that clock",
              "-k mono or -k raw: the other clocks may not be read in an NMI, in which "
              "hardware events are sampled",
              error.code};
  }
  if (error.code == ENOENT && event.domain == Domain::core && !spec.has_branch_stack())
    error.remedy += "; or sample -e cpu-clock, or a simulated core's events (--pmu simulated)";
  if (error.code != EOPNOTSUPP && error.code != EINVAL) return error;
  if (meaning_on_amd(event, how, error.code)) return error;
  if (spec.branches)
    return {"no branch stacks come with it on this machine",
            "-b needs a core that keeps them (x86 LBR, AMD BRS or LBRv2, arm64 BRBE), its hardware "
            "events, and no virtual machine between",
            error.code};
  if (spec.chains == SampleSpec::Chains::lbr)
    return {"no call stacks of the processor come with it on this machine",
            "--call-graph lbr needs an Intel core from Haswell on, its hardware events, and no "
            "virtual machine between; elsewhere: --call-graph dwarf",
            error.code};
  how.sampling.reset();
  const auto counts = open_with_fallbacks(event, how);
  if (!counts) return counts.error();
  if (event.precise > 0) return error;
  return {"its PMU counts, and has no interrupt to sample by",
          fmt::format("tacho stat -e {}, or sample another event: tacho list", event.name),
          error.code};
}

}  // namespace

Error sampling_refused(const Error& error, const Event& event, const PerfOpen& how,
                       const SampleSpec& spec) {
  Error meant = meaning(error, event, how, spec);
  meant.what = fmt::format("cannot sample {}: {}", event.name, meant.what);
  return meant;
}

std::optional<std::uint64_t> highest_frequency() {
  const std::string line = first_line("/proc/sys/kernel/perf_event_max_sample_rate");
  return line.empty() ? std::nullopt : std::optional(std::stoull(line));
}

}  // namespace tacho

#include "pmu/perf/amd_sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/file.hpp"
#include "events/abi.hpp"
#include "events/catalogue.hpp"

namespace tacho {
namespace {

constexpr std::uint64_t kTakenBranches = 0xc4;  // RETIRED_TAKEN_BRANCH_INSTRUCTIONS
constexpr std::uint64_t kBrsDepth = 16;         // entries of a branch stack
constexpr std::uint64_t kIbsStep = 16;          // IBS has no lower four bits of a period

std::uint32_t type_of(const std::string& sysfs, const char* pmu) {
  const std::string text = first_line(fmt::format("{}/{}/type", sysfs, pmu));
  return static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
}

std::optional<Error> meaning_of_brs(const Event& event, const SampleSpec& spec, int code) {
  if (code != EINVAL || event.domain != Domain::core) return std::nullopt;
  const bool is_its_event = event.type == abi::kRaw && event.config == kTakenBranches;
  if (is_its_event && spec.period && *spec.period > kBrsDepth) return std::nullopt;
  return Error{
      fmt::format("this core's branch stacks (AMD BRS) come with taken branches alone, at a fixed "
                  "period of more than {}",
                  kBrsDepth),
      fmt::format("-b -e {} -c {}, or -b alone", kBrsEvent, kBrsPeriod), code};
}

bool leaves_out_a_level(const Event& event) {
  return event.exclude_user || event.exclude_kernel || event.exclude_hv || event.exclude_idle ||
         event.exclude_host || event.exclude_guest;
}

Error level_refused(const AmdSampling& amd, const Event& event, int code) {
  if (event.narrowed)
    return {"AMD IBS can't leave out kernel mode, which this user may not sample",
            paranoid_remedy(1) + "; or leave the p's out", code};
  if (event.precise > 0)
    return {"AMD samples precisely by IBS, which takes no levels and no guests",
            "leave :u, :k, :h, :G, :H and :I out, or the p's", code};
  return {"AMD IBS takes no levels and no guests",
          amd.ibs_has_swfilt ? "add swfilt=1: ibs_op/swfilt=1/u" : "leave the modifiers out", code};
}

// `event` is of IBS, or a precise event that the kernel passes to IBS.
std::optional<Error> meaning_of_ibs(const AmdSampling& amd, const Event& event, const PerfOpen& how,
                                    int code) {
  const bool passed_on = event.precise > 0;
  if (!how.sampling)
    return Error{"AMD IBS samples, it does not count",
                 passed_on ? "leave the p's out" : "tacho record -e " + event.name, code};
  if (leaves_out_a_level(event)) return level_refused(amd, event, code);
  const std::optional<std::uint64_t> period = how.sampling->spec.period;
  if (period && *period % kIbsStep != 0)
    return Error{fmt::format("a period of AMD IBS is a multiple of {}", kIbsStep),
                 fmt::format("-c {}", std::max(*period / kIbsStep, std::uint64_t{1}) * kIbsStep),
                 code};
  if (code == EINVAL && how.pid != -1)
    return Error{"AMD IBS samples CPUs, not single tasks, before Linux 6.2",
                 passed_on ? "sample every CPU: -a, or leave the p's out" : "sample every CPU: -a",
                 code};
  if (passed_on)
    return Error{"AMD samples precisely by IBS, which has cycles, r76 and rc1 alone",
                 "-e cycles:pp, or leave the p's out", code};
  return std::nullopt;
}

}  // namespace

AmdSampling find_amd_sampling(const std::string& sysfs) {
  return {.brs = !first_line(sysfs + "/cpu/events/branch-brs").empty(),
          .ibs_op = type_of(sysfs, "ibs_op"),
          .ibs_fetch = type_of(sysfs, "ibs_fetch"),
          .ibs_has_swfilt = !first_line(sysfs + "/ibs_op/format/swfilt").empty()};
}

const AmdSampling& amd_sampling() {
  static const AmdSampling found = find_amd_sampling(CatalogueRoots().sysfs);
  return found;
}

std::optional<Error> meaning_on_amd(const AmdSampling& amd, const Event& event, const PerfOpen& how,
                                    int code) {
  if (code != EINVAL && code != ENOENT) return std::nullopt;
  const bool of_ibs = amd.ibs_op != 0 && (event.type == amd.ibs_op || event.type == amd.ibs_fetch);
  const bool passed_on = amd.ibs_op != 0 && event.domain == Domain::core && event.precise > 0;
  if (of_ibs || passed_on) return meaning_of_ibs(amd, event, how, code);
  if (amd.brs && how.sampling && how.sampling->spec.branches)
    return meaning_of_brs(event, how.sampling->spec, code);
  return std::nullopt;
}

std::optional<Error> meaning_on_amd(const Event& event, const PerfOpen& how, int code) {
  const bool perhaps = event.domain == Domain::other || event.precise > 0 ||
                       (how.sampling && how.sampling->spec.branches);
  return perhaps ? meaning_on_amd(amd_sampling(), event, how, code) : std::nullopt;
}

}  // namespace tacho

#include "record/recording_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>

#include "base/cpus.hpp"
#include "pmu/perf/perf_open.hpp"

namespace tacho {
namespace {

// Smallest share of the time with a counter that counts as all of it. It is below 1 because the
// counter of a new thread is enabled a little before the thread runs.
constexpr double kWhole = 0.99;
// The same if sampling was turned on and off: each time takes some of it.
constexpr double kWholeOfParts = 0.75;

// Whether the event of this index takes no samples: those of its group's leader have its counts.
bool is_member(std::span<const EventGroup> groups, std::size_t index) {
  for (const EventGroup& group : groups) {
    if (index < group.size()) return index > 0 && group.front().sampling.by_leader;
    index -= group.size();
  }
  return false;
}

// The threads whose state at the start was read in /proc: samples of the event that tells switches.
std::uint64_t states_at_start(const RecordResult& result, std::span<const EventGroup> groups) {
  std::uint64_t threads = 0;
  for (std::size_t i = 0; const Event& event : groups | std::views::join) {
    if (event.sampling.tells_switches) threads += result.samples[i];
    ++i;
  }
  return threads;
}

// Whether the event of this index samples the same as the one before it, but without call chains.
bool is_bare_twin(std::span<const EventGroup> groups, std::size_t index) {
  for (const EventGroup& group : groups) {
    if (index < group.size()) return group[index].sampling.without_chain;
    index -= group.size();
  }
  return false;
}

// Events that had no counter for part of the time. A task's event on some of the unequal cores has
// none on the others: then the parts of one event have to cover the time together.
void add_coverage(const RecordResult& result, std::span<const EventGroup> groups, bool every_cpu,
                  const NumberStyle& style, std::vector<std::string>& warnings) {
  const double whole = result.sampled_s ? kWholeOfParts : kWhole;
  std::map<std::string, double> covered;  // by the name that the user wrote
  std::size_t i = 0;
  for (const Event& event : groups | std::views::join) {
    const std::optional<double> coverage = result.coverage[i++];
    if (!coverage || event.domain == Domain::software) continue;
    const bool is_part = !every_cpu && !event.part_of.empty();
    const bool alone = !every_cpu && !event.core_pmu.empty() && !is_part;
    if (!alone) covered[is_part ? event.part_of : event.name] += *coverage;
    // How much of the time that was is not known: the kernel loses the enabled time of what the
    // program starts, if that is never on these cores.
    if (alone && *coverage < whole)
      warnings.push_back(
          fmt::format("{} was sampled on its own cores only ({}): other cores have none",
                      event.name, cpus_in_words(event.cpus)));
  }
  for (const auto& [name, share] : covered)
    if (share < whole)
      warnings.push_back(
          fmt::format("{} had a counter for only {} % of the time: there are too few "
                      "counters, or others use them. Sample fewer events",
                      name, fixed(100 * share, 0, style)));
}

// The kernel does not tell what the lost records were. If most of them cannot have been samples,
// sampling less often would not help.
std::string lost_records(const RecordResult& result, const NumberStyle& style) {
  const std::string what =
      fmt::format("{} lost: the machine was too busy to take them from the buffers",
                  plural(result.lost, "record", style));
  if (result.most_lost_samples.value_or(result.lost) < result.lost / 2)
    return fmt::format(
        "{}. At most {} of them were samples: the others said what was mapped, named or started, "
        "so "
        "functions may have no name, or that of older code. Leave tacho a CPU (taskset), or raise "
        "its priority (nice)",
        what, whole(*result.most_lost_samples, style));
  return what +
         ". They were samples, or said what was mapped, named or started. Sample less often (-F, "
         "-c), or without call graphs";
}

void add_short_periods(std::span<const EventGroup> groups, const SampleSpec& spec,
                       std::vector<std::string>& warnings) {
  for (const Event& event : groups | std::views::join) {
    const auto period = event.sampling.period ? event.sampling.period : spec.period;
    const bool drawn = event.sampling.frequency || !period;
    if (event.unit == "ns" && !drawn && *period < kShortestClockPeriod)
      warnings.push_back(
          fmt::format("{} was sampled once in {} ns: the kernel does not sample more often",
                      event.name, kShortestClockPeriod));
  }
}

}  // namespace

std::string recorded_line(const RecordResult& result, std::span<const EventGroup> groups,
                          const perfdata::RecordingOutput& output, const NumberStyle& style) {
  std::vector<std::string> counts;
  for (std::size_t i = 0; i < result.events.size(); ++i) {
    if (result.events[i].name == kTrackerName || is_member(groups, i)) continue;
    if (is_bare_twin(groups, i)) continue;
    const std::uint64_t bare = is_bare_twin(groups, i + 1) ? result.samples[i + 1] : 0;
    counts.push_back(fmt::format("{} of {}", plural(result.samples[i] + bare, "sample", style),
                                 result.events[i].name));
  }
  const std::string simulated =
      result.simulated.empty() ? "" : " of the simulated " + result.simulated;
  const auto seconds = [&](double time) { return fixed(time, time < 0.01 ? 6 : 2, style) + " s"; };
  const std::string part =
      result.sampled_s ? ", sampled for " + seconds(*result.sampled_s) : std::string();
  if (counts.empty()) counts.emplace_back("records of switches");
  if (const std::uint64_t threads = states_at_start(result, groups); threads > 0)
    counts.push_back(fmt::format("the state of {} at the start", plural(threads, "thread", style)));
  return fmt::format("{} in {}{}{}: {}, {}", fmt::join(counts, ", "), seconds(result.elapsed_s),
                     part, simulated, output.path(), bytes(output.size(), style));
}

std::vector<std::string> result_warnings(const RecordResult& result,
                                         std::span<const EventGroup> groups, bool every_cpu,
                                         const NumberStyle& style) {
  std::vector<std::string> warnings = result.warnings;
  if (result.taken)
    warnings.push_back(
        fmt::format("only {} s of the command's {} s of CPU time were sampled: {} ({})",
                    fixed(result.seen_s, 6, style),
                    fixed(result.ending.user_s + result.ending.system_s, 2, style),
                    result.taken->what, result.taken->remedy));
  if (result.lost > 0) warnings.push_back(lost_records(result, style));
  if (result.throttled > 0)
    warnings.push_back(
        fmt::format("the kernel stopped sampling {} because it took too much time. Sample "
                    "less often (-F, -c), or: sudo sysctl kernel.perf_cpu_time_max_percent=0",
                    plural(result.throttled, "time", style)));
  if (result.paused)
    warnings.emplace_back(
        "threads switched so often that for a part of the time only some switches were sampled: "
        "the report estimates where threads waited then, with intervals");
  add_coverage(result, groups, every_cpu, style, warnings);
  return warnings;
}

std::vector<std::string> permission_warnings(const RecordResult& result,
                                             std::span<const EventGroup> groups,
                                             const SampleSpec& spec, const Capabilities& pmu) {
  std::vector<std::string> warnings;
  if (result.simulated.empty()) add_short_periods(groups, spec, warnings);
  const bool touched = std::ranges::any_of(groups | std::views::join, [](const Event& event) {
    return event.any_level && event.exclude_kernel;
  });
  if (touched && !pmu.restriction.empty())
    warnings.push_back(
        fmt::format("kernel mode is not sampled ({}): {}", pmu.restriction, paranoid_remedy(1)));
  const bool blind = std::ranges::any_of(groups | std::views::join, [](const Event& event) {
    return event.sampling.tells_switches && event.exclude_kernel;
  });
  if (blind && !pmu.restriction.empty())
    warnings.push_back(
        fmt::format("when threads waited is recorded, but not where and for what: the kernel takes "
                    "no samples at switches ({}): {}",
                    pmu.restriction, paranoid_remedy(1)));
  return warnings;
}

}  // namespace tacho

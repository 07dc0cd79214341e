#include "profile/profile_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.hpp"
#include "profile/chain_warnings.hpp"
#include "profile/lost_records.hpp"
#include "profile/nameless_code.hpp"
#include "profile/sampled_event.hpp"
#include "profile/stripped_files.hpp"

namespace tacho {
namespace {

// Least share of the event that no sample can show before a warning says so.
constexpr double kWorthAWarning = 0.01;

// Least part of the events that have certainly occurred, of those that samples stand for, before a
// warning says so.
constexpr double kKnown = 0.8;

std::uint64_t samples_of(const Profile& profile, std::size_t event, ModuleKind kind) {
  std::uint64_t samples = 0;
  for (std::size_t i = 0; i < profile.cells().size(); ++i)
    if (profile.modules()[profile.cells()[i].module].kind == kind)
      samples += profile.count(event, i).samples;
  return samples;
}

std::vector<std::string> recording_warnings(const Profile& profile,
                                            const perfdata::Description& recording,
                                            std::size_t event) {
  std::vector<std::string> warnings;
  const std::uint64_t all = profile.total(event).samples;
  // Times off the CPU whose place was not recorded are shown so.
  const bool has_places = !sampled_events(profile, recording)[event].lengths;
  const auto unmapped = samples_of(profile, event, ModuleKind::unknown);
  if (unmapped > 0 && has_places)
    warnings.push_back(
        fmt::format("{} of {} samples fell where no mapping was recorded: they are "
                    "[unknown]",
                    unmapped, all));
  if (const auto hidden = samples_of(profile, event, ModuleKind::hidden_kernel); hidden > 0)
    warnings.push_back(fmt::format(
        "{} of {} samples fell at kernel addresses that the recording does not describe: they are "
        "[kernel]; if /proc/kallsyms hides addresses from the user, record as root",
        hidden, all));
  if (profile.without_address() > 0)
    warnings.push_back(fmt::format("{} without an address: left out",
                                   plural(profile.without_address(), "sample", {})));
  if (const StackUnwinding& stacks = profile.stacks(); stacks.failed() > 0)
    warnings.push_back(fmt::format("the callers of {} are missing: {}",
                                   plural(stacks.failed(), "sample", {}), stacks.why().what));
  if (profile.deferred() > 0)
    warnings.push_back(
        fmt::format("the callers in user mode of {} are missing, because tacho does not read "
                    "deferred call chains (--call-graph fp,defer)",
                    plural(profile.deferred(), "sample", {})));
  if (profile.lost() > 0)
    warnings.push_back(lost_records_warning(profile.lost(), most_lost_samples(profile, recording)));
  constexpr std::size_t kFew = 8;
  std::vector<std::string> parts;
  std::uint64_t threads = 0;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const Unsampled unsampled = profile.unsampled(i);
    const double part = unsampled.share(profile.total(i).sum);
    if (part < kWorthAWarning) continue;
    if (parts.size() == kFew) {
      parts.emplace_back("more");
      break;
    }
    parts.push_back(fmt::format("{:.0f} % of {}", 100 * part, recording.events[i].name));
    threads = std::max(threads, unsampled.threads);
  }
  if (!parts.empty())
    warnings.push_back(fmt::format(
        "up to {} could not be sampled: {} began during the recording, and "
        "each is sampled only after its first period. Intervals of shares allow for it; record "
        "every CPU (record -a, then report --comm NAME), or at a higher rate (-F, -c)",
        fmt::join(parts, ", "),
        threads == 1 ? "a thread or process" : fmt::format("{} threads and processes", threads)));
  if (profile.throttled() > 0)
    warnings.push_back(
        fmt::format("the kernel stopped sampling {} because it took too long: busy stretches are "
                    "under-represented; record at a lower rate",
                    plural(profile.throttled(), "time", {})));
  return warnings;
}

// Events of which only the samples say how often they occurred, and those hardly do.
std::vector<std::string> count_warnings(const Profile& profile,
                                        const perfdata::Description& recording) {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const std::uint64_t most = profile.total(i).sum;
    const std::uint64_t least = most - profile.not_ended(i);
    if (static_cast<double>(least) >= kKnown * static_cast<double>(most)) continue;
    warnings.push_back(
        fmt::format("how often {} occurred is not known: {} to {} times. The kernel adapted the "
                    "sampling period, so that single samples stand for many events and shares are "
                    "rough. Record with -c 1, or with 'tacho record', which counts the events, too",
                    recording.events[i].name, least, most));
  }
  return warnings;
}

}  // namespace

std::optional<std::uint64_t> most_lost_samples(const Profile& profile,
                                               const perfdata::Description& recording) {
  // The recording says when it began and ended, whatever part of it is shown.
  const auto first = recording.first_sample_ns ? recording.first_sample_ns : profile.first_ns();
  const auto last = recording.last_sample_ns ? recording.last_sample_ns : profile.last_ns();
  if (!first || !last || *last < *first) return std::nullopt;
  std::uint64_t samples = 0;
  for (std::size_t i = 0; i < recording.events.size(); ++i) samples += profile.total(i).samples;
  return most_lost_samples(recording, profile.lost(), samples,
                           static_cast<double>(*last - *first) / 1e9);
}

std::vector<std::string> profile_warnings(const Profile& profile,
                                          const perfdata::Description& recording,
                                          Resolver& resolver, std::size_t event) {
  std::vector<std::string> all = recording_warnings(profile, recording, event);
  const auto append = [&all](const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(count_warnings(profile, recording));
  append(chain_warnings(profile, recording, resolver, event));
  append(nameless_code_warnings(profile, resolver, event));
  append(stripped_file_warnings(profile, resolver, event));
  append(resolver.warnings());
  return all;
}

}  // namespace tacho

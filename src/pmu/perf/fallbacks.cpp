#include "pmu/perf/fallbacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "events/abi.hpp"
#include "pmu/perf/amd_sampling.hpp"

namespace tacho {
namespace {

std::string nothing(const OpenAttempt& /*opened*/) {
  return {};
}

bool tracks(const OpenAttempt& attempt) {
  return attempt.how.sampling && attempt.how.sampling->tracks;
}

// perf's fallbacks that are not here: kernel mode is left out when a name is resolved
// (PerfEventPmu::resolve), cycles become cpu-clock in `tacho record` without -e, and tacho asks for
// no clock and no sample type that Linux 3.12 lacks.
constexpr auto kFallbacks = std::to_array<Fallback>({
    // has_inherit_and_sample_read in kernel/events/core.c: Linux 6.13.
    {.name = "inheritance of group counts",
     .errors = {EINVAL},
     .scope = FallbackScope::kernel,
     .has =
         [](const OpenAttempt& a) {
           return a.how.inherit && a.how.sampling && a.how.sampling->counts_group;
         },
     .leave_out = [](OpenAttempt& a) { a.how.inherit = false; },
     .notice =
         [](const OpenAttempt& /*opened*/) {
           return std::string(
               "threads and processes that started later were not sampled: Linux before 6.13 can't "
               "read their groups (leave :S out to sample them)");
         }},
    // The kernel refuses bits that it does not know.
    {.name = "build IDs",  // Linux 5.12
     .errors = {EINVAL},
     .scope = FallbackScope::kernel,
     .has = [](const OpenAttempt& a) { return tracks(a) && a.how.sampling->build_ids; },
     .leave_out = [](OpenAttempt& a) { a.how.sampling->build_ids = false; },
     .notice =
         [](const OpenAttempt& /*opened*/) {
           return std::string(
               "mapped files are recorded without build IDs (Linux before 5.12): do not rebuild "
               "the programs before the report");
         }},
    {.name = "names after exec",  // comm_exec: Linux 3.16
     .errors = {EINVAL},
     .scope = FallbackScope::kernel,
     .has = [](const OpenAttempt& a) { return tracks(a) && a.how.sampling->marks_exec; },
     .leave_out = [](OpenAttempt& a) { a.how.sampling->marks_exec = false; },
     .notice = nothing},
    {.name = "inodes of mappings",  // mmap2: Linux 3.16
     .errors = {EINVAL},
     .scope = FallbackScope::kernel,
     .has = [](const OpenAttempt& a) { return tracks(a) && a.how.sampling->maps_inodes; },
     .leave_out = [](OpenAttempt& a) { a.how.sampling->maps_inodes = false; },
     .notice = nothing},
    // Without privileges a user may count tracepoints, and sample them, but not see their fields
    // (perf_trace_event_perm in kernel/trace/trace_event_perf.c).
    {.name = "fields of tracepoints",
     .errors = {EPERM, EACCES},
     .scope = FallbackScope::kernel,
     .has =
         [](const OpenAttempt& a) {
           return a.event.type == abi::kTracepoint && a.how.sampling && a.how.sampling->has_fields;
         },
     .leave_out = [](OpenAttempt& a) { a.how.sampling->has_fields = false; },
     .notice =
         [](const OpenAttempt& /*opened*/) {
           return "the fields of tracepoints are not recorded (kernel.perf_event_paranoid): " +
                  paranoid_remedy(-1);
         }},
    {.name = "clock of times",  // use_clockid: Linux 4.1
     .errors = {EINVAL},
     .scope = FallbackScope::kernel,
     .has =
         [](const OpenAttempt& a) {
           return a.how.sampling && a.how.sampling->spec.clock &&
                  !a.how.sampling->spec.clock_needed;
         },
     .leave_out = [](OpenAttempt& a) { a.how.sampling->spec.clock.reset(); },
     .notice = nothing},
    // EINVAL and ENOENT come from AMD's IBS, to which the kernel passes precise events. This comes
    // before exclusions are tried, because IBS takes none.
    {.name = "precision",
     .errors = {EOPNOTSUPP, EINVAL, ENOENT},
     .scope = FallbackScope::event,
     .has = [](const OpenAttempt& a) { return a.event.lower_precise && a.event.precise > 0; },
     .leave_out = [](OpenAttempt& a) { --a.event.precise; },
     .notice =
         [](const OpenAttempt& opened) {
           return opened.event.precise > 0
                      ? std::string()
                      : fmt::format("no level of precision works for {}: its samples have skid",
                                    opened.event.name);
         }},
    // Apple's cores have no counters for guests (drivers/perf/apple_m1_cpu_pmu.c: EOPNOTSUPP,
    // EINVAL in some versions), nor has a PMU that KVM lends to its guests (EOPNOTSUPP).
    {.name = "guests",
     .errors = {EOPNOTSUPP, EINVAL},
     .doubted_until_accepted = true,
     .has =
         [](const OpenAttempt& a) {
           return a.event.domain == Domain::core && !a.event.names_guests &&
                  !a.event.exclude_guest && !a.event.exclude_host;
         },
     .leave_out = [](OpenAttempt& a) { a.event.exclude_guest = true; },
     .notice =
         [](const OpenAttempt& /*opened*/) {
           return std::string(
               "virtual machines' guests are not counted: this PMU counts the host alone "
               "(exclude_guest)");
         }},
    {.name = "hypervisor",
     .errors = {EOPNOTSUPP, EINVAL},
     .doubted_until_accepted = true,
     .has = [](const OpenAttempt& a) { return a.event.exclude_hv; },
     .leave_out = [](OpenAttempt& a) { a.event.exclude_hv = false; },
     .notice =
         [](const OpenAttempt& opened) {
           return fmt::format(
               "hypervisor mode is counted too: the PMU of {} can't leave it out (exclude_hv)",
               opened.event.name);
         }},
});

bool is_generic(const Event& event) {
  return event.type == abi::kHardware || event.type == abi::kCache;
}

// The type of the event's PMU. A generic event that names no PMU counts on the core's, which is
// also that of raw events.
std::uint64_t pmu_of(const Event& event) {
  if (!is_generic(event)) return event.type;
  const std::uint64_t named = event.config >> abi::kPmuTypeShift;
  return named != 0 ? named : abi::kRaw;
}

bool is_tried_after(const Fallback& row, int code, bool accepted) {
  if (code == EINVAL && row.doubted_until_accepted && accepted) return false;
  return std::ranges::find(row.errors, code) != row.errors.end();
}

}  // namespace

std::span<const Fallback> fallbacks() {
  return kFallbacks;
}

const Fallback* next_fallback(int code, const OpenAttempt& attempt,
                              const std::set<const Fallback*>& accepted) {
  if (code == 0) return nullptr;
  const auto* const row = std::ranges::find_if(kFallbacks, [&](const Fallback& each) {
    return is_tried_after(each, code, accepted.contains(&each)) && each.has(attempt);
  });
  return row == kFallbacks.end() ? nullptr : row;
}

FallbackOpener::Key FallbackOpener::key_of(FallbackScope scope, const OpenAttempt& attempt) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const Event& event = attempt.event;
  switch (scope) {
    case FallbackScope::kernel:
      return {kAll, kAll, kAll};
    case FallbackScope::pmu:
      return {pmu_of(event), kAll, kAll};
    case FallbackScope::event:
      break;
  }
  // The levels matter, too: AMD's IBS samples precisely, but not a single level.
  const bool branches = attempt.how.sampling && attempt.how.sampling->spec.has_branch_stack();
  std::uint64_t settings = event.precise;
  for (const bool each : {event.exclude_user, event.exclude_kernel, event.exclude_hv, branches})
    settings = settings << 1U | std::uint64_t{each};
  return {std::uint64_t{event.type} << abi::kPmuTypeShift | pmu_of(event), event.config, settings};
}

void FallbackOpener::leave_out_known(OpenAttempt& attempt) const {
  const OpenAttempt asked = attempt;
  for (const FallbackScope scope :
       {FallbackScope::kernel, FallbackScope::pmu, FallbackScope::event})
    if (const auto known = known_.find(key_of(scope, asked)); known != known_.end())
      for (const Fallback* row : known->second)
        if (row->has(attempt)) row->leave_out(attempt);
}

Result<Fd> FallbackOpener::open(OpenAttempt& attempt) {
  OpenAttempt now = attempt;
  leave_out_known(now);
  auto fd = open_(now.event, now.how);
  if (!fd) fd = open_with_less(now, fd.error());
  if (!fd) return fd;
  auto& accepted = accepted_[key_of(FallbackScope::pmu, now)];
  for (const Fallback& row : kFallbacks)
    if (row.has(now)) accepted.insert(&row);
  attempt = std::move(now);
  return fd;
}

// Leaves out one part after the other. When the event opens, each part that need not have been left
// out is put back.
Result<Fd> FallbackOpener::open_with_less(OpenAttempt& attempt, Error error) {
  const OpenAttempt asked = attempt;
  const auto& accepted = accepted_[key_of(FallbackScope::pmu, asked)];
  Taken taken;
  Result<Fd> fd = std::unexpected(std::move(error));
  OpenAttempt less = asked;
  while (!fd) {
    const Fallback* row = next_fallback(fd.error().code, less, accepted);
    if (row == nullptr) return std::unexpected(with_highest_precision(fd.error(), asked));
    row->leave_out(less);
    taken.push_back(row);
    fd = open_(less.event, less.how);
  }
  for (std::size_t i = 0; taken.size() > 1 && i < taken.size();) {
    Taken fewer = taken;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    OpenAttempt more = asked;
    for (const Fallback* row : fewer) row->leave_out(more);
    auto without = open_(more.event, more.how);
    if (!without) {
      ++i;
      continue;
    }
    fd = std::move(without);
    less = std::move(more);
    taken = std::move(fewer);
  }
  remember(taken, asked, less);
  attempt = std::move(less);
  return fd;
}

void FallbackOpener::remember(const Taken& taken, const OpenAttempt& asked,
                              const OpenAttempt& opened) {
  for (const Fallback* row : taken) {
    known_[key_of(row->scope, asked)].push_back(row);
    std::string notice = row->notice(opened);
    if (!notice.empty() && std::ranges::find(notices_, notice) == notices_.end())
      notices_.push_back(std::move(notice));
  }
}

// If the user asked for a level of precision, finds the highest that works.
Error FallbackOpener::with_highest_precision(Error error, const OpenAttempt& attempt) const {
  const int asked = attempt.event.precise;
  const bool perhaps = error.code == EOPNOTSUPP || error.code == EINVAL || error.code == ENOENT;
  if (asked == 0 || attempt.event.lower_precise || !perhaps) return error;
  OpenAttempt lower = attempt;
  while (lower.event.precise > 0) {
    --lower.event.precise;
    if (!open_(lower.event, lower.how)) continue;
    const int works = lower.event.precise;
    if (works == 0) break;
    return {fmt::format("precision {} does not work here: the highest level is {}", asked, works),
            fmt::format("write :{}, or :P for the highest level",
                        std::string(lower.event.precise, 'p')),
            error.code};
  }
  return error;
}

namespace {

constinit thread_local FallbackOpener* threads_opener = nullptr;

struct AtThreadEnd {
  ~AtThreadEnd() { delete std::exchange(threads_opener, nullptr); }
};

}  // namespace

// A thread can open counters after its thread_local objects were destroyed: the thread that calls
// exit(), in handlers of atexit(). It then gets another opener, which stays.
FallbackOpener& fallback_opener() {
  if (threads_opener == nullptr) {
    threads_opener = new FallbackOpener(perf_open);
    [[maybe_unused]] thread_local const AtThreadEnd at_thread_end;
  }
  return *threads_opener;
}

Result<Fd> open_with_fallbacks(OpenAttempt& attempt) {
  auto fd = fallback_opener().open(attempt);
  if (fd) return fd;
  const int code = fd.error().code;
  const auto amd = meaning_on_amd(attempt.event, attempt.how, code);
  if (!amd) return fd;
  return std::unexpected(refusal(amd->what, amd->remedy, code));
}

Result<Fd> open_with_fallbacks(const Event& event, const PerfOpen& how) {
  OpenAttempt attempt{event, how};
  return open_with_fallbacks(attempt);
}

}  // namespace tacho

#include "doctor/prove/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/cpus.hpp"
#include "doctor/prove/loops.hpp"
#include "events/modifiers.hpp"
#include "events/sysfs_pmu.hpp"
#include "pmu/trust/known_loop.hpp"

namespace tacho::prove {
namespace {

constexpr std::uint32_t kIterations = 500'000;
constexpr std::size_t kPages = 4'000;

// Other instructions of the process are those of the calls around the loop, and of forks.
constexpr KnownWork kOfCores = {.event = "instructions",
                                .beside = "branches",
                                .count = kLoopInstructions * kIterations,
                                .run = [] { run_known_loop(kIterations); },
                                .tolerance = 0.01};
// Each fork also gives the child and the parent pages to copy: a few hundred faults.
constexpr KnownWork kOfKernel = {.event = "page-faults",
                                 .beside = "minor-faults",
                                 .count = kPages,
                                 .run = [] { touch_pages(kPages); },
                                 .tolerance = 0.1};

// Numbers that all ARM cores since ARMv7 have (Arm Architecture Reference Manual, "Common event
// numbers"): INST_RETIRED, CPU_CYCLES, PC_WRITE_RETIRED, and L1D_CACHE, which counts loads and
// stores.
struct ArmEvent {
  std::string_view generic;
  std::string_view terms;
};
constexpr auto kArmEvents = std::to_array<ArmEvent>({{"instructions", "event=0x08"},
                                                     {"cycles", "event=0x11"},
                                                     {"branches", "event=0x0c"},
                                                     {"L1-dcache-loads", "event=0x04"},
                                                     {"L1-dcache-stores", "event=0x04"}});

bool has_no_modes(const Error& error) {
  return error.code == EINVAL || error.code == EOPNOTSUPP;
}

// An error if the counter stays at zero in a loop that the event happens in, as an emulator's may.
// tacho stat does not report such an event, so there is nothing to prove.
Result<void> check_alive(const Bench& bench, const Event& event) {
  const Yardstick* const yardstick = yardstick_of(event);
  if (yardstick == nullptr) return {};
  const Judgement& judged = bench.pmu.judge().judgement(*yardstick, event);
  if (judged.belief != Belief::dead) return {};
  return failure(judged.reason + ": tacho does not believe this event, and does not report it");
}

Result<Opened> open_spelled(const Bench& bench, std::span<const std::string_view> generic,
                            const Target& target, bool user_only) {
  Opened opened{.group = nullptr, .events = {}, .user_only = user_only};
  for (const std::string_view name : generic) {
    Event event = TACHO_TRY(bench.pmu.resolve(bench.subject.user_event(name)));
    if (!user_only) event.exclude_kernel = event.exclude_hv = false;
    if (bench.subject.core) TACHO_TRY(check_alive(bench, event));
    opened.events.push_back(std::move(event));
  }
  opened.group = TACHO_TRY(bench.pmu.open(opened.events, target, Start::stopped));
  return opened;
}

}  // namespace

std::string Subject::user_event(std::string_view generic) const {
  if (!one_of) return with_modifiers(generic, "u");
  const auto* const number = std::ranges::find(kArmEvents, generic, &ArmEvent::generic);
  const bool has_number = numbered && number != kArmEvents.end();
  return with_modifiers(fmt::format("{}/{}/", pmu, has_number ? number->terms : generic), "u");
}

void choose_names(PerfEventPmu& pmu, Subject& subject) {
  if (!subject.one_of || !subject.pmu.starts_with("arm")) return;
  const auto cycles = pmu.resolve(subject.user_event("cycles"));
  if (!cycles) return;
  const auto opened = pmu.open({&*cycles, 1}, Self{}, Start::stopped);
  subject.numbered = !opened && opened.error().code == ENOENT;
}

std::vector<Subject> find_subjects(const Catalogue& catalogue, const std::vector<int>& allowed) {
  std::vector<Subject> found;
  const std::vector<CorePmu> cores = SysfsPmus(catalogue.roots().sysfs).cores();
  for (const CorePmu& core : cores) {
    Subject subject{.pmu = core.name, .core = true, .one_of = cores.size() > 1, .cpus = allowed};
    if (const std::vector<int> own = parse_cpu_list(core.cpus); !own.empty())
      std::erase_if(subject.cpus,
                    [&own](int cpu) { return std::ranges::find(own, cpu) == own.end(); });
    found.push_back(std::move(subject));
  }
  if (found.empty()) found.push_back({.pmu = "", .core = true, .one_of = false, .cpus = {}});
  found.push_back({.pmu = "kernel", .core = false, .one_of = false, .cpus = allowed});
  return found;
}

const KnownWork& work_for(const Subject& subject) {
  return subject.core ? kOfCores : kOfKernel;
}

Result<Opened> open_events(const Bench& bench, std::span<const std::string_view> generic,
                           const Target& target) {
  auto opened = open_spelled(bench, generic, target, true);
  if (opened || !bench.subject.core || !has_no_modes(opened.error())) return opened;
  auto both = open_spelled(bench, generic, target, false);
  return both ? std::move(both) : std::move(opened);
}

Result<std::vector<Reading>> count_during(const Opened& opened, const std::function<void()>& work) {
  TACHO_TRY(opened.group->enable());
  work();
  TACHO_TRY(opened.group->disable());
  std::vector<Reading> readings(opened.events.size());
  TACHO_TRY(opened.group->read(readings));
  return readings;
}

}  // namespace tacho::prove

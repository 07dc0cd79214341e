#include "pmu/registers/arm_registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/parse_number.hpp"
#include "events/abi.hpp"
#include "events/cache_names.hpp"
#include "events/generic_names.hpp"
#include "events/modifiers.hpp"
#include "events/spelling.hpp"
#include "pmu/registers/core_id.hpp"
#include "pmu/registers/make_driver.hpp"
#include "pmu/registers/register_group.hpp"
#include "pmu/targets.hpp"

namespace tacho::arm {
namespace {

// A type that no PMU of the kernel has. `config` has the event's number and the flag kDivided.
constexpr std::uint32_t kType = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr std::uint64_t kNumber = 0xffff;
constexpr std::uint64_t kDivided = std::uint64_t{1} << 16U;

// `r1c`: the event's number in hexadecimal.
std::optional<std::uint64_t> raw_number(std::string_view name) {
  if (name.size() < 2 || name.size() > 5 || name[0] != 'r') return std::nullopt;
  return parse_number<std::uint16_t>(name.substr(1), 16);
}

std::vector<std::string> names_of(const CoreEvents& core) {
  std::vector<std::string> names = {std::string(kDividedCycles)};
  for (const CoreEvent& event : core.events) {
    names.push_back(event.name);
    names.insert(names.end(), event.also.begin(), event.also.end());
  }
  return names;
}

}  // namespace

ArmRegistersPmu::ArmRegistersPmu(const Catalogue& catalogue, Core core, Judge::Try attempt)
    : catalogue_(catalogue),
      software_(catalogue, Trust::refused),
      core_(std::move(core)),
      driver_(make_driver(core_.architecture,
                          traits_of({core_.events.implementer, core_.events.part}),
                          *core_.registers, core_.counters)),
      bank_(*core_.registers, *driver_, *core_.observer, core_.counters, core_.clock),
      judge_(attempt ? std::move(attempt) : [this](const Event&, const Yardstick& yardstick) {
        return this->attempt(yardstick);
      }) {}

Capabilities ArmRegistersPmu::capabilities() const {
  return {.kind = PmuKind::arm_registers,
          .name = fmt::format("{} registers through tacho_pmu", core_.events.name),
          .restriction = {},
          .sees_exec = false};
}

std::optional<Event> ArmRegistersPmu::of_core(std::string_view name) const {
  Event event;
  event.domain = Domain::core;
  event.type = kType;
  if (same_letters(name, kDividedCycles)) {
    event.config = driver_->cycles_event() | kDivided;
  } else if (const CoreEvent* listed = core_.events.find(name)) {
    event.config = listed->number;
  } else if (const auto number = raw_number(name)) {
    event.config = *number;
  } else {
    return std::nullopt;
  }
  return event;
}

Result<Event> ArmRegistersPmu::resolve(std::string_view spec) const {
  const auto [name, letters] = split_modifiers(spec);
  if (auto event = of_core(name)) {
    TACHO_TRY(apply_modifiers(letters, spec, *event));
    event->name = spec;
    return *event;
  }
  auto other = software_.resolve(spec);
  if (!other)
    if (std::string hint = did_you_mean(name, names_of(core_.events)); !hint.empty())
      other.error().remedy = hint + " 'tacho list --pmu arm-registers' shows the core's events";
  return other;
}

// The event for the bank. An error is the reason why the event is not counted.
Result<Wanted> ArmRegistersPmu::wanted(const Event& event) const {
  const std::string& core = core_.events.name;
  if (event.type != kType)
    return failure(fmt::format("the {} does not have this event, or its list lacks it", core),
                   "'tacho list --pmu arm-registers' shows the core's events", ENOENT);
  const auto number = static_cast<std::uint16_t>(event.config & kNumber);
  const bool listed = core_.events.find(number) != nullptr;
  if (!driver_->has(number).value_or(listed))
    return failure(fmt::format("the {} does not have event {:#04x}", core, number),
                   "'tacho list --pmu arm-registers' shows the core's events", ENOENT);
  if (event.precise > 0 || event.exclude_host || event.exclude_guest || event.exclude_idle ||
      event.pinned || event.exclusive)
    return failure("the registers support only the modifiers u and k", "leave the others out",
                   EINVAL);
  const Wanted result{.setting = {.event = number,
                                  .user = !event.exclude_user,
                                  .kernel = !event.exclude_kernel,
                                  .divided = (event.config & kDivided) != 0},
                      .cycles = number == driver_->cycles_event()};
  if (result.setting.filtered() && !driver_->tells_modes())
    return failure(fmt::format("the {}'s counters can't tell user mode from the kernel's", core),
                   "leave the modifier out: both are counted", EINVAL);
  return result;
}

// Counts the yardstick's event, found by its name, on this thread.
Result<Trial> ArmRegistersPmu::attempt(const Yardstick& yardstick) {
  auto event = of_core(yardstick.name);
  if (!event) return failure("the core's list does not know it", "", ENOENT);
  event->exclude_kernel = driver_->tells_modes();
  const auto each = TACHO_TRY(wanted(*event));
  RegisterGroup group(bank_, {.wanted = {each}, .places = {0}}, {});
  auto trial = count_loop(group, yardstick);
  if (trial) trial->user_only = driver_->tells_modes();
  return trial;
}

// Why the counts of an event are implausible; nothing if they are not. Only events that the core
// does not report are checked, because emulators count some of these and keep the others at 0. The
// loops do not suit the ARM1176, which does not count each access.
std::optional<std::string> ArmRegistersPmu::doubt(const Event& event) {
  const auto number = static_cast<std::uint16_t>(event.config & kNumber);
  if (core_.architecture == Architecture::armv6 || driver_->has(number)) return std::nullopt;
  Event generic;
  generic.domain = Domain::core;
  generic.type = abi::kRaw;
  if (const CoreEvent* listed = core_.events.find(number))
    for (const std::string& name : listed->also)
      if (const auto known = generic_event(name) ? generic_event(name) : cache_event(name))
        generic = *known;
  return judge_.doubt(generic);
}

Result<void> ArmRegistersPmu::serve(const Target& target) {
  if (std::holds_alternative<Self>(target)) return {};
  if (const auto* launched = std::get_if<Launched>(&target))
    return core_.observer->follow(launched->pid);
  if (is_of_cpus(target)) {
    const auto cpus = places(EveryCpu{});
    if (cpus && cpus->size() == 1) return {};
    return failure(fmt::format("the registers are those of CPU {} alone: they can't count every "
                               "CPU",
                               core_.cpu),
                   "launch the command, or use --pmu hardware");
  }
  return failure("the registers count a CPU, not a process: they can't attach to a running process",
                 "launch the command: tacho stat --pmu arm-registers -- COMMAND…");
}

void ArmRegistersPmu::note_caveats(std::span<const Event> events) {
  for (const Event& event : events) {
    if (event.type != kType) continue;
    const CoreEvent* listed = core_.events.find(static_cast<std::uint16_t>(event.config & kNumber));
    if (listed != nullptr && !listed->caveat.empty())
      caveats_.insert(fmt::format("{}: {}", event.name, listed->caveat));
  }
}

Result<std::unique_ptr<CounterGroup>> ArmRegistersPmu::open(std::span<const Event> events,
                                                            const Target& target, Start start) {
  std::vector<Wanted> counted;
  std::vector<std::size_t> counted_at;
  std::vector<Event> software;
  std::vector<std::size_t> software_at;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].domain == Domain::core) {
      auto each = TACHO_TRY(wanted(events[i]));
      if (const auto why = doubt(events[i]))
        return failure(*why + ": not believed", "see docs/how-to/count-with-arm-registers.md",
                       ENOENT);
      counted.push_back(each);
      counted_at.push_back(i);
    } else {
      software.push_back(events[i]);
      software_at.push_back(i);
    }
  }
  std::unique_ptr<CounterGroup> beside;
  if (!counted.empty()) {
    TACHO_TRY(bank_.fits(counted));
    TACHO_TRY(serve(target));
    if (!std::holds_alternative<Self>(target)) note_caveats(events);
  }
  if (!software.empty()) {
    beside = TACHO_TRY(software_.open(software, target, start));
  }
  return std::make_unique<RegisterGroup>(
      bank_, RegisterGroup::Part{std::move(counted), std::move(counted_at)},
      RegisterGroup::Beside{std::move(beside), std::move(software_at), start == Start::at_exec});
}

std::vector<std::string> ArmRegistersPmu::remarks() {
  std::vector<std::string> remarks = {fmt::format(
      "the registers count whatever ran on CPU {}, to which the command was kept: other programs "
      "and the kernel too",
      core_.cpu)};
  if (std::string losses = bank_.losses(); !losses.empty()) remarks.push_back(std::move(losses));
  remarks.insert(remarks.end(), caveats_.begin(), caveats_.end());
  caveats_.clear();
  return remarks;
}

}  // namespace tacho::arm

#include "rules.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

namespace made_up {
namespace {

constexpr unsigned kPmuTypeShift = 32;
constexpr std::uint64_t kConfigWithoutPmu = 0xffffffff;
constexpr std::size_t kFirstAttributeBytes = 64;  // PERF_ATTR_SIZE_VER0

bool is_generic(std::uint32_t type) {
  return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
}

bool contains(const auto& all, const auto& one) {
  return std::ranges::find(all, one) != std::ranges::end(all);
}

Decision refused(int code, std::string because, const MadeUpPmu* pmu = nullptr) {
  return {.answer = {code, pmu != nullptr ? pmu->name : "", std::move(because)}, .pmu = pmu};
}

bool holds(const Condition& condition, const Call& call) {
  const std::uint64_t value = field(call, condition.field).value_or(0);
  const std::uint64_t first = condition.numbers.front();
  switch (condition.test) {
    case Condition::Test::one_of:
      return contains(condition.numbers, value);
    case Condition::Test::none_of:
      return !contains(condition.numbers, value);
    case Condition::Test::above:
      return value > first;
    case Condition::Test::below:
      return value < first;
    case Condition::Test::has_bits:
      return (value & first) != 0;
  }
  return false;
}

const Rule* rule_against(const Machine& machine, const Call& call, const Call& leader,
                         std::string_view pmu) {
  const auto found = std::ranges::find_if(machine.rules, [&](const Rule& rule) {
    return (pmu.empty() ? rule.pmus.empty() : contains(rule.pmus, pmu)) &&
           std::ranges::all_of(rule.when, [&](const auto& each) { return holds(each, call); }) &&
           std::ranges::all_of(rule.leader, [&](const auto& each) { return holds(each, leader); });
  });
  return found == machine.rules.end() ? nullptr : &*found;
}

// perf_copy_attr (kernel/events/core.c): what this kernel does not know of the attributes. 0:
// nothing.
int unknown_attributes(const Machine& machine, const Call& call) {
  const std::size_t size = call.attr.size == 0 ? kFirstAttributeBytes : call.attr.size;
  if (size < kFirstAttributeBytes || size > call.raw.size()) return E2BIG;
  if (size > machine.attribute_bytes &&
      std::any_of(call.raw.begin() + machine.attribute_bytes, call.raw.end(),
                  [](std::byte byte) { return byte != std::byte{0}; }))
    return E2BIG;
  if (machine.flag_bits < 64 && flag_bits(call) >> machine.flag_bits != 0) return EINVAL;
  return call.attr.sample_type >> machine.sample_types != 0 ? EINVAL : 0;
}

// perf_init_event: the PMUs that the kernel asks for the event, one after the other.
std::vector<const MadeUpPmu*> candidates(const Machine& machine, const Call& call) {
  const std::uint32_t type = call.attr.type;
  const std::uint64_t named = is_generic(type) ? call.attr.config >> kPmuTypeShift : type;
  const bool any_core = is_generic(type) ? named == 0 : type == PERF_TYPE_RAW;
  // A PMU of the type PERF_TYPE_RAW can be named in any case.
  const auto nameable = [&](const MadeUpPmu& pmu) {
    return pmu.core && (machine.extended_type || pmu.type == PERF_TYPE_RAW);
  };
  std::vector<const MadeUpPmu*> found;
  for (const MadeUpPmu& pmu : machine.pmus)
    if (pmu.type == named && (!is_generic(type) || nameable(pmu))) found.push_back(&pmu);
  if (!found.empty() || !any_core) return found;
  for (const MadeUpPmu& pmu : machine.pmus)
    if (pmu.core) found.push_back(&pmu);
  return found;
}

// The PMU's event_init: 0 if it has the event.
int absence(const MadeUpPmu& pmu, const Call& call) {
  // x86_pmu_event_init and armpmu_event_init both want a CPU of the PMU.
  if (call.cpu != -1 && !contains(pmu.cpus, call.cpu)) return pmu.core ? ENOENT : EINVAL;
  if (!is_generic(call.attr.type)) return 0;
  const Generic event{call.attr.type, call.attr.config & kConfigWithoutPmu};
  if (contains(pmu.events, event)) return 0;
  return contains(pmu.impossible, event) ? EINVAL : ENOENT;
}

// The generic counters that a group needs. Each fixed counter serves one event of its kind.
unsigned counters_needed(const MadeUpPmu& pmu, std::span<const Member> group) {
  std::vector<Generic> fixed = pmu.fixed;
  unsigned needed = 0;
  for (const Member& member : group) {
    if (member.pmu != &pmu) continue;
    const bool generic = is_generic(member.call.attr.type);
    if (!generic && contains(pmu.free, member.call.attr.config)) continue;
    const auto own = std::ranges::find(
        fixed, Generic{member.call.attr.type, member.call.attr.config & kConfigWithoutPmu});
    if (generic && own != fixed.end())
      fixed.erase(own);
    else
      ++needed;
  }
  return needed;
}

// validate_group, and what the scheduler does later.
Decision join(const MadeUpPmu& pmu, const Call& call, std::span<const Member> group) {
  std::vector<Member> all(group.begin(), group.end());
  all.push_back({&pmu, call});
  for (const Member& member : group)
    if (member.pmu != nullptr && member.pmu != &pmu)
      return refused(EINVAL, "the group has an event of " + member.pmu->name, &pmu);
  const unsigned needed = counters_needed(pmu, all);
  if (needed > pmu.counters)
    return refused(EINVAL, "the group needs more counters than there are", &pmu);
  Decision granted{.answer = {0, pmu.name, ""}, .pmu = &pmu, .place = Place::of_pmu};
  if (needed + pmu.taken > pmu.counters) {
    granted.place = Place::nowhere;
    granted.answer.because = "never runs: someone else holds a counter that the group needs";
  }
  return granted;
}

std::string kernel_pmu_name(std::uint32_t type) {
  constexpr auto kNames = std::to_array<std::pair<std::uint32_t, std::string_view>>(
      {{PERF_TYPE_SOFTWARE, "software"},
       {PERF_TYPE_TRACEPOINT, "tracepoint"},
       {PERF_TYPE_BREAKPOINT, "breakpoint"}});
  for (const auto& [known, name] : kNames)
    if (known == type) return std::string(name);
  return "other";
}

Decision by_this_kernel(const Machine& machine, const Call& call, const Call& leader) {
  Decision passed{.answer = {0, kernel_pmu_name(call.attr.type), ""}};
  if (const Rule* rule = rule_against(machine, call, leader, passed.answer.pmu))
    return {.answer = {rule->code, passed.answer.pmu, rule->because}};
  return passed;
}

}  // namespace

Decision decide(const Machine& machine, const Call& call, std::span<const Member> group) {
  if (!call.readable) return refused(EFAULT, "the attributes can't be read");
  const Call& leader = group.empty() ? call : group.front().call;
  if (const Rule* rule = rule_against(machine, call, leader, ""))
    return refused(rule->code, rule->because);
  if (const int code = unknown_attributes(machine, call); code != 0)
    return refused(code, "this kernel does not know an attribute");
  if (call.attr.freq != 0 && call.attr.sample_freq > machine.max_sample_rate)
    return refused(EINVAL, "above perf_event_max_sample_rate");
  if (call.cpu >= machine.cpus) return refused(ENODEV, "the machine has no such CPU");
  if (leader.cpu != call.cpu) return refused(EINVAL, "the group is on another CPU");

  const auto asked = candidates(machine, call);
  if (asked.empty() && (is_generic(call.attr.type) || call.attr.type == PERF_TYPE_RAW))
    return refused(ENOENT, "no PMU has this type");
  if (asked.empty()) return by_this_kernel(machine, call, leader);
  for (const MadeUpPmu* pmu : asked) {
    const int code = absence(*pmu, call);
    if (code == ENOENT && pmu != asked.back()) continue;
    if (code != 0) return refused(code, "the PMU does not have the event on this CPU", pmu);
    if (const Rule* rule = rule_against(machine, call, leader, pmu->name))
      return refused(rule->code, rule->because, pmu);
    return join(*pmu, call, group);
  }
  return refused(ENOENT, "no PMU has the event");
}

}  // namespace made_up

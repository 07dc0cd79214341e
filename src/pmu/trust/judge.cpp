#include "pmu/trust/judge.hpp"

#include <fmt/format.h>

#include <array>

#include "events/abi.hpp"

namespace tacho {
namespace {

// An event is rejected for the whole run only if its counts are bad in this many trials.
constexpr int kTries = 3;

// The bits of a generic event's config that select one of several core PMUs.
constexpr std::uint64_t kPmuOfConfig = ~std::uint64_t{0} << abi::kPmuTypeShift;

// These bits for the PMU of an event; 0 if the cores are alike.
std::uint64_t pmu_of(const Event& event) {
  if (event.type == abi::kHardware || event.type == abi::kCache) return event.config & kPmuOfConfig;
  return event.core_pmu.empty() ? 0 : std::uint64_t{event.type} << abi::kPmuTypeShift;
}

bool is_bad(const Judgement& judged) {
  return judged.belief == Belief::dead || judged.belief == Belief::garbage;
}

}  // namespace

Result<Trial> count_loop(CounterGroup& group, const Yardstick& yardstick) {
  Trial trial;
  Reading before;
  Reading after;
  std::uint32_t iterations = yardstick.iterations;
  for (std::uint64_t& count : trial.counts) {
    before = after;
    TACHO_TRY(group.enable());
    yardstick.loop(iterations);
    TACHO_TRY(group.disable());
    TACHO_TRY(group.read({&after, 1}));
    count = after.value - before.value;
    iterations *= 2;
  }
  trial.ran = after.running_ns > 0;
  if (trial.ran && after.running_ns < after.enabled_ns)
    return failure(fmt::format("'{}' had its counter only part of the time", yardstick.name));
  return trial;
}

Judgement Judge::judge_now(const Yardstick& yardstick, const Event& like, std::uint64_t pmu) const {
  Event event;
  event.name = yardstick.name;
  event.domain = Domain::core;
  event.type = yardstick.type;
  event.config = yardstick.config | pmu;
  event.core_pmu = like.core_pmu;
  event.cpus = like.cpus;
  Judgement judged;
  for (int i = 0; i < kTries && judged.belief != Belief::plausible; ++i) {
    const auto trial = try_(event, yardstick);
    judged = trial ? judge(yardstick, *trial)
                   : Judgement{Belief::untried, trial.error().what, trial.error().remedy, {}};
    if (!trial && trial.error().code != 0) break;
  }
  return judged;
}

const Judgement& Judge::judgement(const Yardstick& yardstick, const Event& like) {
  const std::uint64_t pmu = pmu_of(like);
  const auto [place, fresh] = judged_.try_emplace({&yardstick, pmu});
  if (fresh) place->second = judge_now(yardstick, like, pmu);
  return place->second;
}

std::optional<std::string> Judge::doubt(const Event& event) {
  const Judgement& instructions = judgement(instructions_yardstick(), event);
  const Judgement& cycles = judgement(cycles_yardstick(), event);
  for (const Judgement* core : {&instructions, &cycles})
    if (core->belief == Belief::garbage) return "this PMU's " + core->reason;
  if (const Yardstick* own = yardstick_of(event)) {
    const Judgement& judged = judgement(*own, event);
    if (is_bad(judged)) return judged.reason;
    if (judged.belief == Belief::plausible) return std::nullopt;
  }
  for (const Yardstick* companion : companions_of(event)) {
    const Judgement& judged = judgement(*companion, event);
    if (is_bad(judged)) return "the companion " + judged.reason;
    if (judged.belief == Belief::plausible) return std::nullopt;
  }
  // Neither the event nor a companion can be judged. If the PMU does not count cycles or
  // instructions, it does not count this event either.
  if (instructions.belief != Belief::plausible && cycles.belief != Belief::plausible)
    for (const Judgement* core : {&cycles, &instructions})
      if (is_bad(*core)) return "this PMU's " + core->reason;
  return std::nullopt;
}

}  // namespace tacho

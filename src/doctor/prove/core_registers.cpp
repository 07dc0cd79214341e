#include "doctor/prove/core_registers.hpp"

#include "doctor/prove/known_counts.hpp"
#include "pmu/choice/make_pmu.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "pmu/trust/known_loop.hpp"

namespace tacho::prove {
namespace {

constexpr std::uint32_t kRegisterLoops = 1'000'000;

}  // namespace

Proof prove_core_registers(const Bench& bench) {
  if (!registers_are_open())
    return not_proved("the kernel module tacho_pmu is not loaded",
                      "see docs/how-to/count-with-arm-registers.md; not needed where perf counts");
  const auto choice = parse_pmu_option(to_string(PmuKind::arm_registers));
  if (!choice) return not_proved(choice.error());
  const auto pmu = make_pmu(*choice, bench.catalogue);
  if (!pmu) return not_proved(pmu.error());
  auto event = (*pmu)->resolve("instructions");
  // ARMv6 and the oldest ARMv7 cores count no instructions that are certain.
  if (!event) return not_proved(event.error());
  Opened opened{.group = nullptr, .events = {*event}, .user_only = false};
  auto group = (*pmu)->open(opened.events, Self{}, Start::stopped);
  if (!group) return not_proved(group.error());
  opened.group = std::move(*group);
  const auto readings = count_during(opened, [] { run_known_loop(kRegisterLoops); });
  if (!readings) return failed(readings.error());
  if (readings->front().running_ns < readings->front().enabled_ns)
    return not_proved("something disturbed the registers", "see tacho doctor; try again");
  return judge_known_count("instructions", readings->front().value,
                           kLoopInstructions * kRegisterLoops, false);
}

}  // namespace tacho::prove

#include "doctor/prove/times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "doctor/prove/clocks.hpp"

namespace tacho::prove {
namespace {

constexpr double kBusy = 0.2;  // seconds of CPU time
// The clocks are read one after the other, with system calls between them.
constexpr double kRelative = 0.01;
constexpr double kReadings = 300e-6;  // seconds
// A CPU counts its interrupts and its kernel threads, too, which the thread does not.
constexpr double kKernel = 0.02;
// If others have the CPU for a greater part of the time, too much is right to prove anything.
constexpr double kBusyCpu = 0.1;
// What others can count in a time, in comparison with the thread.
constexpr double kDensest = 4;

void stay_busy(const KnownWork& work) {
  const double until = cpu_seconds() + kBusy;
  while (cpu_seconds() < until) work.run();
}

double reading_error(double seconds) {
  return kRelative * seconds + kReadings;
}

Figure time_figure(const char* name, double measured, const BusyTimes& times) {
  return {.name = name,
          .measured = 1e3 * measured,
          .expected = 1e3 * times.cpu,
          .tolerance = 1e3 * (reading_error(times.cpu) + times.stolen),
          .unit = "ms"};
}

bool cpu_was_taken(const BusyTimes& times) {
  const auto& [less, more] = std::minmax(times.enabled, times.task_clock);
  return less > times.cpu && more - less < reading_error(more) &&
         more < times.wall + reading_error(more);
}

}  // namespace

Proof judge_times(const BusyTimes& times) {
  const Figure of_event = time_figure("time enabled", times.enabled, times);
  const Figure of_clock = time_figure("task-clock", times.task_clock, times);
  Proof proof = judged(
      fmt::format("enabled for {:.1f} ms, task-clock {:.1f} ms, known {:.1f} ms of CPU "
                  "time (± {:.1f})",
                  of_event.measured, of_clock.measured, of_event.expected, of_event.tolerance),
      {of_event, of_clock});
  if (proof.outcome == Outcome::failed && cpu_was_taken(times)) {
    proof.outcome = Outcome::not_proved;
    proof.detail += ": something took the CPU meanwhile, such as a hypervisor";
    proof.remedy = "try again while the machine is quiet";
  }
  return proof;
}

Proof judge_every_cpu(std::uint64_t cpu, std::uint64_t thread, double others) {
  const auto expected = static_cast<double>(thread);
  const auto measured = static_cast<double>(cpu);
  const double above = kKernel + kDensest * std::max(others, 0.0);
  const Figure figure{.name = "count of the CPU",
                      .measured = measured,
                      .expected = expected,
                      .tolerance = expected * (measured < expected ? 1e-3 : above),
                      .unit = ""};
  Proof proof = judged(
      fmt::format("the CPU counts {:.0f}, its busy thread {:.0f} (from -0.1 % to {:+.0f} %: others "
                  "had the CPU for {:.1f} % of the time)",
                  measured, expected, 100 * above, 100 * std::max(others, 0.0)),
      {figure});
  if (proof.outcome == Outcome::proved && others > kBusyCpu) {
    proof.outcome = Outcome::not_proved;
    proof.remedy = "leave the machine alone meanwhile";
  }
  return proof;
}

Proof prove_times(const Bench& bench) {
  const KnownWork& work = work_for(bench.subject);
  const auto opened = open_events(bench, std::array{work.event}, Self{});
  if (!opened) return not_proved(opened.error());
  const auto clock = bench.pmu.resolve("task-clock");
  if (!clock) return not_proved(clock.error());
  auto clock_group = bench.pmu.open({&*clock, 1}, Self{}, Start::stopped);
  if (!clock_group) return not_proved(clock_group.error());
  const Opened of_clock{.group = std::move(*clock_group), .events = {*clock}};
  const double stolen = stolen_seconds(bench.subject.cpus.back());
  const double wall_before = wall_seconds();
  const double cpu_before = cpu_seconds();
  Result<std::vector<Reading>> inner;
  const auto outer =
      count_during(of_clock, [&] { inner = count_during(*opened, [&work] { stay_busy(work); }); });
  const double cpu = cpu_seconds() - cpu_before;
  const double wall = wall_seconds() - wall_before;
  if (!outer) return failed(outer.error());
  if (!inner) return failed(inner.error());
  return judge_times({.enabled = 1e-9 * static_cast<double>(inner->front().enabled_ns),
                      .task_clock = 1e-9 * static_cast<double>(outer->front().value),
                      .cpu = cpu,
                      .wall = wall,
                      .stolen = stolen_seconds(bench.subject.cpus.back()) - stolen});
}

Proof prove_every_cpu(const Bench& bench) {
  const KnownWork& work = work_for(bench.subject);
  const auto of_thread = open_events(bench, std::array{work.event}, Self{});
  if (!of_thread) return not_proved(of_thread.error());
  const auto of_cpu =
      open_events(bench, std::array{work.event}, SomeCpus{{bench.subject.cpus.back()}});
  if (!of_cpu) return not_proved(of_cpu.error());
  const double wall = wall_seconds();
  const double cpu = cpu_seconds();
  Result<std::vector<Reading>> inner;
  const auto outer = count_during(
      *of_cpu, [&] { inner = count_during(*of_thread, [&work] { stay_busy(work); }); });
  const double others = 1 - (cpu_seconds() - cpu) / (wall_seconds() - wall);
  if (!outer) return failed(outer.error());
  if (!inner) return failed(inner.error());
  return judge_every_cpu(outer->front().value, inner->front().value, others);
}

}  // namespace tacho::prove

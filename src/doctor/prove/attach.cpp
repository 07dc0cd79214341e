#include "doctor/prove/attach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "doctor/prove/clocks.hpp"
#include "process/stepped_child.hpp"

namespace tacho::prove {
namespace {

constexpr int kChildren = 3;
constexpr double kFamilyWithKernel = 0.3;  // the tolerance where kernel mode can't be left out
constexpr double kForking = 0.1;           // seconds in which the child forks while tacho attaches

// The work, done by the process and by each of its children.
void work_as_family(const KnownWork& work) {
  work.run();
  for (int i = 0; i < kChildren; ++i) run_in_child(work.run);
}

void fork_all_the_time() {
  const double until = wall_seconds() + kForking;
  while (wall_seconds() < until) run_in_child([] {});
}

// The count of one step of a child that is watched already.
Proof count_step(const Bench& bench, const SteppedChild& child, const Opened& opened) {
  Result<void> stepped;
  const auto readings = count_during(opened, [&] { stepped = child.step(); });
  if (!stepped) return failed(stepped.error());
  if (!readings) return failed(readings.error());
  return judge_family(work_for(bench.subject), readings->front().value, 1 + kChildren,
                      opened.user_only);
}

}  // namespace

Proof judge_family(const KnownWork& work, std::uint64_t counted, int parts, bool user_only) {
  const double known = static_cast<double>(work.count) * parts;
  const Figure figure{
      .name = std::string(work.event),
      .measured = static_cast<double>(counted),
      .expected = known,
      .tolerance =
          known * (user_only ? work.tolerance : std::max(work.tolerance, kFamilyWithKernel)),
      .unit = std::string(work.event)};
  return judged(figure_text(figure), {figure});
}

Proof prove_fork(const Bench& bench) {
  const KnownWork& work = work_for(bench.subject);
  const auto child = SteppedChild::start([&work](int) { work_as_family(work); });
  if (!child) return not_proved(child.error());
  const auto opened = open_events(bench, std::array{work.event}, Launched{child->pid()});
  if (!opened) return not_proved(opened.error());
  return count_step(bench, *child, *opened);
}

Proof prove_attach(const Bench& bench) {
  const KnownWork& work = work_for(bench.subject);
  const auto child = SteppedChild::start([&work](int step) {
    if (step == 0) return fork_all_the_time();
    work_as_family(work);
  });
  if (!child) return not_proved(child.error());
  if (const auto begun = child->begin_step(); !begun) return not_proved(begun.error());
  auto opened = open_events(bench, std::array{work.event, work.beside}, Process{child->pid()});
  if (!opened) opened = open_events(bench, std::array{work.event}, Process{child->pid()});
  if (!opened) return not_proved(opened.error());
  if (const auto ended = child->end_step(); !ended) return failed(ended.error());
  return count_step(bench, *child, *opened);
}

}  // namespace tacho::prove

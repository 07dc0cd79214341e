#include "doctor/prove/moves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/cpus.hpp"
#include "pmu/perf/self_group.hpp"

namespace tacho::prove {
namespace {

constexpr int kMoves = 20;

// A group of one event of the calling thread, on; or the reason why there is none.
struct Watching {
  SelfGroup group;
  std::optional<Error> refused;
};

Watching watch(const Bench& bench, const Subject& subject, bool registers) {
  const auto event = bench.pmu.resolve(subject.user_event(work_for(subject).event));
  if (!event) return {SelfGroup(), event.error()};
  std::array<std::optional<Error>, 1> refused;
  constexpr std::array<std::size_t, 1> kFirst{0};
  Watching watching{
      SelfGroup({&*event, 1}, kFirst, {.inherit = false, .user_reads = registers}, refused), {}};
  watching.refused = refused.front();
  if (!watching.refused && !watching.group.turn(true))
    watching.refused = Error{"cannot turn a counter on", "", 0};
  return watching;
}

Result<std::uint64_t> read_one(SelfGroup& group) {
  std::uint64_t value = 0;
  std::uint64_t lost_ns = 0;
  if (group.read(&value, lost_ns)) return value;
  return failure("a counter of this thread can't be read");
}

// Works on one CPU after the other, and reads after each. Counts from the first reading on.
Result<Moves> move_around(std::span<SelfGroup> groups, const std::vector<int>& cpus,
                          const KnownWork& work) {
  Moves moves;
  std::vector<std::uint64_t> last;
  for (SelfGroup& group : groups) last.push_back(TACHO_TRY(read_one(group)));
  const std::vector<std::uint64_t> first = last;
  for (; moves.count < kMoves; ++moves.count) {
    const auto at = static_cast<std::size_t>(moves.count) % cpus.size();
    TACHO_TRY(keep_to_cpu(cpus[at]));
    work.run();
    moves.known += work.count;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::uint64_t now = TACHO_TRY(read_one(groups[i]));
      if (now < last[i]) ++moves.falls;
      last[i] = now;
    }
  }
  for (std::size_t i = 0; i < groups.size(); ++i) moves.counted += last[i] - first[i];
  return moves;
}

Proof prove_moves(const Bench& bench, bool registers) {
  const Subject& subject = bench.subject;
  if (subject.cpus.size() < 2)
    return not_proved("tacho may use one CPU of this PMU only", "allow it more CPUs (taskset)");
  const Pinned before(subject.cpus.back());
  Watching watching = watch(bench, subject, registers);
  if (watching.refused) return not_proved(*watching.refused);
  if (registers) {
    if (!watching.group.by_registers()) return not_proved(watching.group.why_not());
    if (const auto obstacle = watching.group.obstacle()) return not_proved(*obstacle);
  }
  const KnownWork& work = work_for(subject);
  const auto moves = move_around({&watching.group, 1}, subject.cpus, work);
  if (!moves) return failed(moves.error());
  return judge_moves(*moves, registers ? "registers" : "system calls", work.tolerance);
}

}  // namespace

Proof judge_moves(const Moves& moves, std::string_view how, double tolerance) {
  const auto known = static_cast<double>(moves.known);
  const Figure falls{.name = "readings that fell",
                     .measured = static_cast<double>(moves.falls),
                     .expected = 0,
                     .tolerance = 0,
                     .unit = "readings"};
  const Figure sum{.name = "count",
                   .measured = static_cast<double>(moves.counted),
                   .expected = known,
                   .tolerance = tolerance * known,
                   .unit = ""};
  return judged(fmt::format("read by {} over {} moves: {}; {} readings fell", how, moves.count,
                            figure_text(sum), moves.falls),
                {falls, sum});
}

Proof prove_moves_by_registers(const Bench& bench) {
  return prove_moves(bench, true);
}

Proof prove_moves_by_calls(const Bench& bench) {
  return prove_moves(bench, false);
}

Proof prove_moves_between_pmus(const Bench& bench) {
  std::vector<SelfGroup> groups;
  std::vector<int> cpus;
  for (const Subject& subject : bench.all) {
    if (!subject.one_of || subject.cpus.empty()) continue;
    Watching watching = watch(bench, subject, false);
    if (watching.refused) return not_proved(*watching.refused);
    groups.push_back(std::move(watching.group));
    cpus.push_back(subject.cpus.back());
  }
  if (groups.size() < 2) return not_proved("this machine's cores have one PMU");
  const Pinned before(cpus.front());
  const KnownWork& work = work_for(bench.subject);
  const auto moves = move_around(groups, cpus, work);
  return moves ? judge_moves(*moves, "system calls", work.tolerance) : failed(moves.error());
}

}  // namespace tacho::prove

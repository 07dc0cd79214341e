#include "compare/compare_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "compare/change_text.hpp"
#include "compare/gate.hpp"
#include "stats/paired_changes.hpp"

namespace tacho {
namespace {

// The different values of a fact in the runs of the first command.
template <class Fact>
auto facts_of_first(const PairedRuns& runs, Fact fact) {
  std::set<decltype(fact(runs.runs.front()))> facts;
  for (const ComparedRun& run : runs.runs)
    if (run.member == 0) facts.insert(fact(run));
  return facts;
}

// The members with a run that has another fact than the runs of the first command.
template <class Fact>
std::vector<std::size_t> members_that_differ(const PairedRuns& runs, Fact fact) {
  std::vector<std::size_t> differ;
  const auto first = facts_of_first(runs, fact);
  for (std::size_t member = 1; member < runs.members.size(); ++member) {
    if (runs.members[member].role != BlockMember::Role::compared) continue;
    const auto differs = [&](const ComparedRun& run) {
      return run.member == member && !first.contains(fact(run));
    };
    if (std::ranges::any_of(runs.runs, differs)) differ.push_back(member);
  }
  return differ;
}

int status_of(const ComparedRun& run) {
  return run.exit_code;
}

std::uint64_t digest_of(const ComparedRun& run) {
  return run.output_digest;
}

std::optional<std::string> about_interruption(const PairedRuns& runs) {
  if (runs.stopped == Stopped::signal)
    return fmt::format(
        "a signal ended the comparison after {} of at most {} pairs: this is the "
        "verdict so far",
        runs.blocks, runs.looks.back());
  return {};
}

// The smallest difference that the user asks about: the precision, or the nearest gate that is
// undecided.
std::optional<double> asked_difference(const CompareRequest& request, const PairedRuns& runs,
                                       const std::vector<PairedChange>& changes) {
  std::optional<double> asked;
  if (request.stop) asked = request.stop->precision;
  for (const JudgedGate& judged : judge_gates(request.gates, runs, changes)) {
    const double bound = std::abs(judged.gate.bound);
    if (judged.verdict == GateVerdict::undecided && bound > 0 &&
        changes[judged.change].metric == runs.primary)
      asked = std::min(asked.value_or(bound), bound);
  }
  return asked;
}

void add_baseline(const PairedRuns& runs, std::vector<std::string>& warnings) {
  if (!runs.baseline) return;
  const Machine& then = runs.baseline->machine;
  const Machine& now = runs.machine;
  warnings.push_back(fmt::format(
      "{} ran at {}, the rest at {}, not side by side: what changed on the machine between is part "
      "of the difference",
      shown_name(runs, 0), runs.baseline->started, runs.started));
  if (then.kernel != now.kernel || then.architecture != now.architecture || then.cpus != now.cpus)
    warnings.push_back(fmt::format(
        "it was another machine or kernel: {} {} with {} CPUs, and {} {} with {} CPUs",
        then.architecture, then.kernel, then.cpus, now.architecture, now.kernel, now.cpus));
  if (then.pmu_name != now.pmu_name)
    warnings.push_back(fmt::format("{} was counted by {}, the rest by {}", shown_name(runs, 0),
                                   then.pmu_name, now.pmu_name));
}

// The control is the first command against itself: a claim about it is false.
void add_control(const PairedRuns& runs, const std::vector<PairedChange>& changes,
                 std::vector<std::string>& warnings) {
  for (const PairedChange& change : changes)
    if (runs.members[change.member].role == BlockMember::Role::control &&
        change.metric == runs.primary &&
        (change.verdict == ChangeVerdict::less || change.verdict == ChangeVerdict::more))
      warnings.push_back(fmt::format(
          "the control claims a change of {:.2g} % between two runs of one command: do not believe "
          "changes of this size",
          100 * change.estimate));
}

bool is_undecided_primary(const PairedRuns& runs, const PairedChange& change) {
  return change.metric == runs.primary && change.verdict == ChangeVerdict::undecided &&
         runs.members[change.member].role == BlockMember::Role::compared;
}

// There are fewer pairs than a test needs. Of several commands, each needs more.
void add_too_few(const PairedRuns& runs, const std::vector<PairedChange>& changes,
                 std::vector<std::string>& warnings) {
  std::size_t needed = 0;
  for (const PairedChange& change : changes)
    if (is_undecided_primary(runs, change))
      needed = std::max(needed, fewest_pairs(1, change.level));
  if (runs.baseline || runs.exact() || runs.sweep || runs.blocks >= needed) return;
  warnings.push_back(fmt::format("{} can't decide {}: at least {} are needed",
                                 runs.blocks == 1 ? "1 pair" : fmt::format("{} pairs", runs.blocks),
                                 runs.compared().size() > 1 ? "about so many commands" : "anything",
                                 needed));
}

void add_precision(const CompareRequest& request, const PairedRuns& runs,
                   const std::vector<PairedChange>& changes, std::vector<std::string>& warnings) {
  if (!request.stop || !request.stop->precision) return;
  for (const PairedChange& change : changes) {
    const double half_width = (change.high - change.low) / 2;
    if (change.metric == runs.primary && half_width > *request.stop->precision &&
        runs.members[change.member].role == BlockMember::Role::compared)
      warnings.push_back(
          fmt::format("the change is known to ± {:.2g} %, not to the ± {:.2g} % that "
                      "--precision asks for: give more pairs with --looks",
                      100 * half_width, 100 * *request.stop->precision));
  }
}

void add_noise(const CompareRequest& request, const PairedRuns& runs,
               const std::vector<PairedChange>& changes, std::vector<std::string>& warnings) {
  const auto asked = asked_difference(request, runs, changes);
  for (const PairedChange& change : changes)
    if (asked && change.findable && *change.findable > *asked && is_undecided_primary(runs, change))
      warnings.push_back(fmt::format(
          "the machine is too noisy for {:.2g} %: {} pairs find a change of {:.2g} % of {} in 80 "
          "of 100 comparisons (give more pairs with --looks, or a quiet machine)",
          100 * *asked, change.pairs, 100 * *change.findable, shown_name(runs, change.member)));
}

}  // namespace

std::vector<std::string> compare_warnings(const CompareRequest& request, const PairedRuns& runs,
                                          const std::vector<PairedChange>& changes) {
  std::vector<std::string> warnings = runs.warnings;
  if (auto text = about_interruption(runs)) warnings.push_back(*text);
  add_baseline(runs, warnings);
  add_control(runs, changes, warnings);
  add_too_few(runs, changes, warnings);
  add_precision(request, runs, changes, warnings);
  add_noise(request, runs, changes, warnings);
  for (const std::size_t member : members_that_differ(runs, status_of))
    warnings.push_back(
        fmt::format("{} and {} end with different statuses: they may not do the same work",
                    shown_name(runs, 0), shown_name(runs, member)));
  if (request.same_output && facts_of_first(runs, digest_of).size() > 1)
    warnings.push_back(fmt::format(
        "{} prints something else in each run: --expect-output can't tell", shown_name(runs, 0)));
  else if (request.same_output)
    for (const std::size_t member : members_that_differ(runs, digest_of))
      warnings.push_back(
          fmt::format("{} prints something else than {}: they may not do the same work",
                      shown_name(runs, member), shown_name(runs, 0)));
  return warnings;
}

}  // namespace tacho

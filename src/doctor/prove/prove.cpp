#include "doctor/prove/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/cpus.hpp"
#include "doctor/prove/addresses.hpp"
#include "doctor/prove/attach.hpp"
#include "doctor/prove/branch_stack.hpp"
#include "doctor/prove/clocks.hpp"
#include "doctor/prove/core_registers.hpp"
#include "doctor/prove/counters.hpp"
#include "doctor/prove/known_counts.hpp"
#include "doctor/prove/moves.hpp"
#include "doctor/prove/sampling.hpp"
#include "doctor/prove/times.hpp"
#include "doctor/prove/turns.hpp"

namespace tacho::prove {
namespace {

enum class Scope {
  cores,  // each PMU of the cores
  each,   // these, and the kernel's software events
  once,   // the first PMU, for the whole machine
};

struct Check {
  std::string_view name;
  Scope scope;
  // Other programs can disturb a check of times. It is repeated, and proved if one try is.
  int tries;
  Proof (*prove)(const Bench&);
};

// The names are keys of scripts: they are added, never renamed.
constexpr auto kChecks = std::to_array<Check>({
    {"instructions", Scope::cores, 3, prove_instructions},
    {"branches", Scope::cores, 3, prove_branches},
    {"loads", Scope::cores, 3, prove_loads},
    {"stores", Scope::cores, 3, prove_stores},
    {"cycles", Scope::cores, 3, prove_cycles},
    {"counters at once", Scope::cores, 1, prove_counters},
    {"NMI watchdog", Scope::cores, 1, prove_watchdog},
    {"sets in turns", Scope::each, 1, prove_turns},
    {"fork", Scope::each, 1, prove_fork},
    {"attach", Scope::each, 1, prove_attach},
    {"moves by registers", Scope::cores, 1, prove_moves_by_registers},
    {"moves by calls", Scope::each, 1, prove_moves_by_calls},
    {"moves between PMUs", Scope::once, 1, prove_moves_between_pmus},
    {"samples at 99 Hz", Scope::each, 3, prove_sampling_slowly},
    {"samples at 4000 Hz", Scope::each, 3, prove_sampling_fast},
    {"sampled addresses", Scope::each, 1, prove_addresses},
    {"precise addresses", Scope::cores, 1, prove_precise_addresses},
    {"branch stacks", Scope::cores, 1, prove_branch_stacks},
    {"enabled time", Scope::each, 3, prove_times},
    {"one CPU", Scope::each, 3, prove_every_cpu},
#if defined(__arm__) || defined(__aarch64__)
    {"ARM registers", Scope::once, 3, prove_core_registers},
#endif
});

bool concerns(const Check& check, const Bench& bench) {
  if (check.scope == Scope::once) return &bench.subject == bench.all.data();
  return check.scope == Scope::each || bench.subject.core;
}

Proof try_check(const Check& check, const Bench& bench) {
  Proof proof = check.prove(bench);
  for (int i = 2; i <= check.tries && proof.outcome != Outcome::proved; ++i) {
    proof = check.prove(bench);
    if (proof.outcome == Outcome::proved) proof.detail += fmt::format(" (at try {})", i);
  }
  return proof;
}

Proof run_check(const Check& check, const Bench& bench) {
  const Subject& subject = bench.subject;
  if (subject.pmu.empty())
    return not_proved("this machine shows no PMU of its cores",
                      "run on bare metal, or enable the virtual PMU in the hypervisor");
  if (subject.cpus.empty())
    return not_proved("tacho may use none of this PMU's CPUs", "allow it more CPUs (taskset)");
  const Pinned pinned(subject.cpus.back());
  if (!pinned.done()) return not_proved(pinned.done().error());
  return try_check(check, bench);
}

}  // namespace

std::size_t ProofReport::count(Outcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(proofs, outcome, &Proof::outcome));
}

ProofReport prove_machine(const Catalogue& catalogue,
                          const std::function<void(const std::string&)>& progress) {
  const double begun = wall_seconds();
  ProofReport report{.subjects = find_subjects(catalogue, allowed_cpus()), .proofs = {}};
  PerfEventPmu pmu(catalogue, Trust::believed);
  for (Subject& subject : report.subjects) {
    if (subject.cpus.empty()) continue;
    const Pinned pinned(subject.cpus.back());
    choose_names(pmu, subject);
  }
  for (const Subject& subject : report.subjects) {
    const Bench bench{
        .catalogue = catalogue, .pmu = pmu, .subject = subject, .all = report.subjects};
    for (const Check& check : kChecks) {
      if (!concerns(check, bench)) continue;
      progress(fmt::format("prove: {} {}", subject.pmu, check.name));
      Proof proof = run_check(check, bench);
      proof.pmu = subject.pmu;
      proof.check = check.name;
      report.proofs.push_back(std::move(proof));
    }
  }
  report.seconds = wall_seconds() - begun;
  return report;
}

}  // namespace tacho::prove

// `tacho doctor --prove`: measurements whose truth is known, on each PMU of this machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "doctor/prove/bench.hpp"
#include "doctor/prove/proof.hpp"
#include "events/catalogue.hpp"

namespace tacho::prove {

struct ProofReport {
  std::vector<Subject> subjects;
  std::vector<Proof> proofs;  // by subject, in the order of the checks
  double seconds = 0;

  std::size_t count(Outcome outcome) const;
};

// Runs all checks: half a minute at most on a machine with two PMUs. Keeps the calling thread to
// single CPUs meanwhile. Calls `progress` with what is checked next.
ProofReport prove_machine(const Catalogue& catalogue,
                          const std::function<void(const std::string&)>& progress);

}  // namespace tacho::prove

#include "measure/simulated_launch.hpp"

#include <algorithm>
#include <iterator>

namespace tacho {
namespace {

using std::chrono::nanoseconds;

// How finely simulated time goes by: a period ends at the first count behind its end.
constexpr nanoseconds kShortestPeriod = std::chrono::microseconds(100);
constexpr nanoseconds kLongestGrain = std::chrono::milliseconds(100);
constexpr int kGrainsInPeriod = 20;

nanoseconds longest_grain(const MeasureRequest& request, bool periods) {
  nanoseconds grain = kLongestGrain;
  if (periods) grain = std::min(grain, request.longest_period / kGrainsInPeriod);
  if (request.interval) grain = std::min(grain, *request.interval / kGrainsInPeriod);
  return grain;
}

// Its code would be taken for that of the command's own exec.
std::unexpected<Error> of_the_simulator(Error error) {
  error.code = 0;
  return std::unexpected(std::move(error));
}

}  // namespace

Result<std::unique_ptr<Simulation>> prepare_command(Pmu& pmu, Supervisor& supervisor,
                                                    const MeasureRequest& request, bool periods) {
  auto simulation = pmu.simulate(request.command, kShortestPeriod / kGrainsInPeriod,
                                 longest_grain(request, periods));
  if (!simulation) return of_the_simulator(simulation.error());
  const bool simulated = *simulation != nullptr;
  // A simulator would tell in its own way that there is no such command.
  const auto can = simulated ? can_run(request.command.front()) : Result<void>();
  if (!can) return std::unexpected(can.error());
  const auto ready =
      simulated ? supervisor.prepare((*simulation)->command(), (*simulation)->environment())
                : supervisor.prepare(request.command, request.environment);
  if (!ready) return std::unexpected(ready.error());
  return simulation;
}

Result<void> release_command(Supervisor& supervisor, const Simulation* simulation) {
  auto released = supervisor.release();
  if (released || simulation == nullptr) return released;
  return of_the_simulator(released.error());
}

Result<void> conclude(Simulation& simulation, Measurement& m) {
  const auto warnings = simulation.conclude(m.workload.signal);
  if (!warnings) return std::unexpected(warnings.error());
  std::ranges::copy(*warnings, std::back_inserter(m.warnings));
  if (simulation.begun()) return {};
  for (CountedEvent& event : m.events) {
    if (event.duty != Duty::always && event.duty != Duty::turned) continue;
    event.duty = Duty::failed;
    event.reason = "the workload was killed before the simulator had counted anything";
    event.remedy = "let it run longer";
  }
  return {};
}

}  // namespace tacho

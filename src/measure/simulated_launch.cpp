#include "measure/simulated_launch.hpp"

#include <algorithm>
#include <iterator>

#include "measure/schedule.hpp"

namespace tacho {
namespace {

using std::chrono::nanoseconds;

// Simulated time advances in grains: a period ends with the first record after its end.
constexpr nanoseconds kLongestGrain = std::chrono::milliseconds(100);
constexpr int kGrainsInPeriod = 200;      // so the shortest periods at the end are exact, too
constexpr int kGrainsInFirstPeriod = 20;  // so it is exact to 5 %
constexpr int kGrainsInInterval = 20;

nanoseconds longest_grain(const MeasureRequest& request, bool periods) {
  nanoseconds grain = kLongestGrain;
  if (periods) grain = std::min(grain, request.longest_period / kGrainsInPeriod);
  if (request.interval) grain = std::min(grain, *request.interval / kGrainsInInterval);
  return grain;
}

// Removes the error's code, which would mean that the command itself could not be executed.
std::unexpected<Error> of_the_simulator(Error error) {
  error.code = 0;
  return std::unexpected(std::move(error));
}

}  // namespace

Result<std::unique_ptr<Simulation>> prepare_command(Pmu& pmu, Supervisor& supervisor,
                                                    const MeasureRequest& request, bool periods) {
  const Launch& launch = request.launch;
  auto simulation =
      pmu.simulate(launch.argv, launch.directory, Schedule::kFirstSimulated / kGrainsInFirstPeriod,
                   longest_grain(request, periods));
  if (!simulation) return of_the_simulator(simulation.error());
  const bool simulated = *simulation != nullptr;
  if (!simulated) {
    TACHO_TRY(supervisor.prepare(launch));
    return simulation;
  }
  // The simulator would report a missing command in its own words.
  TACHO_TRY(can_run(launch));
  TACHO_TRY(
      supervisor.prepare(run_by(launch, (*simulation)->command(), (*simulation)->environment())));
  return simulation;
}

Result<void> release_command(Supervisor& supervisor, const Simulation* simulation) {
  auto released = supervisor.release();
  if (released || simulation == nullptr) return released;
  return of_the_simulator(released.error());
}

Result<void> conclude(Simulation& simulation, Measurement& m) {
  const auto warnings = TACHO_TRY(simulation.conclude(m.workload.signal));
  std::ranges::copy(warnings, std::back_inserter(m.warnings));
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

// The PMU in software: counts a launched command by running it on a simulated core.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "events/catalogue.hpp"
#include "pmu/pmu.hpp"
#include "simulation/cpu_model.hpp"
#include "simulation/simulated_events.hpp"
#include "simulation/simulator_launch.hpp"
#include "simulation/tally.hpp"

namespace tacho {

class SimulatedPmu final : public Pmu {
 public:
  // `catalogue` must outlive the PMU: it tells what is an event at all.
  SimulatedPmu(const Catalogue& catalogue, CpuModel model, Simulator simulator)
      : catalogue_(catalogue),
        model_(std::move(model)),
        events_(simulated_events(model_)),
        simulator_(std::move(simulator)) {}

  Capabilities capabilities() const override;
  // Events of perf's that are not simulated resolve too: they do not open, and say why.
  Result<Event> resolve(std::string_view spec) const override;
  Result<std::unique_ptr<CounterGroup>> open(std::span<const Event> events, const Target& target,
                                             Start start) override;
  Result<std::unique_ptr<Sampler>> sample(std::span<const EventGroup> groups, const Target& target,
                                          Start start, const SampleSpec& spec) override;
  Result<std::unique_ptr<Simulation>> simulate(std::span<const std::string> command,
                                               Simulation::Time finest,
                                               Simulation::Time longest) override;

 private:
  std::string why_not(const Event& event) const;
  Result<const SimulatedEvent*> simulated(const Event& event) const;
  Event as_the_kernels(const Event& event) const;

  const Catalogue& catalogue_;
  CpuModel model_;
  std::vector<SimulatedEvent> events_;
  Simulator simulator_;
  std::shared_ptr<Tally> tally_;  // of the run that was begun last
  std::string sampling_;          // its file of what to sample
};

}  // namespace tacho

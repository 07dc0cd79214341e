// The PMU in software: it counts a command by running it on a simulated core.
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
  // `catalogue` must outlive the PMU. It knows the names of events that are not simulated.
  SimulatedPmu(const Catalogue& catalogue, CpuModel model, Simulator simulator)
      : catalogue_(catalogue),
        model_(std::move(model)),
        events_(simulated_events(model_)),
        simulator_(std::move(simulator)) {}

  Capabilities capabilities() const override;
  SampleRate default_rate() const override;
  // Other events of perf also resolve; opening them gives the reason why they are not simulated.
  Result<Event> resolve(std::string_view spec) const override;
  Result<std::unique_ptr<CounterGroup>> open(std::span<const Event> events, const Target& target,
                                             Start start) override;
  Result<std::unique_ptr<Sampler>> sample(std::span<const EventGroup> groups, const Target& target,
                                          Start start, const SampleSpec& spec) override;
  Result<std::unique_ptr<Simulation>> simulate(std::span<const std::string> command,
                                               const std::string& working_directory,
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
  std::shared_ptr<Tally> tally_;  // of the last run
  std::string sampling_;          // the file with the events that the last run samples
  bool emulated_ = false;         // QEMU runs the command
};

}  // namespace tacho

// Times lists on a simulated processor: tacho walks them under the simulator, whose cycles take the
// place of the clock's ticks.
#pragma once

#include <optional>
#include <vector>

#include "latency/access_counter.hpp"
#include "latency/chase/route.hpp"
#include "latency/prober.hpp"

namespace tacho {

class SimulatedProber : public Prober {
 public:
  // `counter` counts cycles first, and then the events of the report. It and `model` must outlive
  // the prober.
  SimulatedProber(AccessCounter& counter, const CpuModel& model, chase::Stop stop)
      : counter_(counter), model_(model), stop_(std::move(stop)) {}

  Result<std::optional<LatencySample>> probe(const ListToProbe& list) override;
  bool ended() override { return ended_by_.has_value() || stop_(); }
  std::size_t capacity(Layout layout) const override;

  // The events of each packed list so far.
  std::vector<AccessEvents>& events() { return events_; }
  // The signal that ended a walk.
  std::optional<int> ended_by() const { return ended_by_; }

 private:
  AccessCounter& counter_;
  const CpuModel& model_;
  chase::Stop stop_;  // knows the signals that arrive while no walk runs
  std::vector<AccessEvents> events_;
  std::optional<int> ended_by_;
};

}  // namespace tacho

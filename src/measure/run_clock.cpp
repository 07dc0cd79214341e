#include "measure/run_clock.hpp"

#include <algorithm>
#include <utility>

namespace tacho {
namespace {

class RealClock final : public RunClock {
 public:
  explicit RealClock(Supervisor& supervisor) : supervisor_(supervisor) {}
  Clock::time_point now() const override { return Clock::now(); }
  Wake wait(std::optional<Clock::time_point> deadline, Clock::time_point limit,
            int descriptor) override {
    if (limit != Clock::time_point::max()) deadline = std::min(deadline.value_or(limit), limit);
    return supervisor_.wait(deadline, {descriptor});
  }

 private:
  Supervisor& supervisor_;
};

class SimulatedClock final : public RunClock {
 public:
  // How often to look for records: too short to notice, and long enough to cost nothing.
  static constexpr std::chrono::milliseconds kEvery{10};

  SimulatedClock(Supervisor& supervisor, Simulation& simulation, Simulation::Time ahead,
                 SimulationProgress::Tell tell)
      : supervisor_(supervisor),
        simulation_(simulation),
        ahead_(ahead),
        progress_(std::move(tell)) {}

  Clock::time_point now() const override { return Clock::time_point(simulation_.now()); }

  Wake wait(std::optional<Clock::time_point> deadline, Clock::time_point limit,
            int /*descriptor*/) override {
    std::optional<Simulation::Time> until;
    if (deadline) until = deadline->time_since_epoch();
    for (;;) {
      const bool complete = ended_;  // after the end, the next records are the last ones
      if (trouble_ && advance(until, complete)) return Wake::deadline;
      if (complete) return Wake::ended;
      if (Clock::now() >= limit) return Wake::deadline;
      progress_.at(simulation_.known());
      ended_ = supervisor_.wait(std::min(Clock::now() + kEvery, limit)) == Wake::ended;
    }
  }

  std::optional<std::chrono::nanoseconds> remaining() const override { return remaining_; }
  Result<void> trouble() const override { return trouble_; }

 private:
  // Whether the time is `until` now. `complete`: the simulation writes no more records.
  bool advance(std::optional<Simulation::Time> until, bool complete) {
    const auto reached = advance_behind(until, complete);
    if (!reached) trouble_ = std::unexpected(reached.error());
    return reached.value_or(false);
  }

  Result<bool> advance_behind(std::optional<Simulation::Time> until, bool complete) {
    if (!until) return simulation_.advance(until);
    const bool is_ahead = TACHO_TRY(simulation_.look_ahead(*until + ahead_));
    if (!is_ahead && !complete) return false;
    const bool reached = TACHO_TRY(simulation_.advance(until));
    if (!is_ahead) remaining_ = simulation_.known() - simulation_.now();
    return reached;
  }

  Supervisor& supervisor_;
  Simulation& simulation_;
  Simulation::Time ahead_;
  SimulationProgress progress_;
  std::optional<Simulation::Time> remaining_;
  bool ended_ = false;
  Result<void> trouble_;
};

}  // namespace

std::unique_ptr<RunClock> make_run_clock(Supervisor& supervisor, Simulation* simulation,
                                         Simulation::Time ahead, SimulationProgress::Tell tell) {
  if (simulation != nullptr)
    return std::make_unique<SimulatedClock>(supervisor, *simulation, ahead, std::move(tell));
  return std::make_unique<RealClock>(supervisor);
}

}  // namespace tacho

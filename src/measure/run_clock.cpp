#include "measure/run_clock.hpp"

namespace tacho {
namespace {

class RealClock final : public RunClock {
 public:
  explicit RealClock(Supervisor& supervisor) : supervisor_(supervisor) {}
  Clock::time_point now() const override { return Clock::now(); }
  Wake wait(std::optional<Clock::time_point> deadline) override {
    return supervisor_.wait(deadline);
  }

 private:
  Supervisor& supervisor_;
};

class SimulatedClock final : public RunClock {
 public:
  // How often to look for records: too short to notice, and long enough to cost nothing.
  static constexpr std::chrono::milliseconds kEvery{10};

  SimulatedClock(Supervisor& supervisor, Simulation& simulation)
      : supervisor_(supervisor), simulation_(simulation) {}

  Clock::time_point now() const override { return Clock::time_point(simulation_.now()); }

  Wake wait(std::optional<Clock::time_point> deadline) override {
    std::optional<Simulation::Time> until;
    if (deadline) until = deadline->time_since_epoch();
    for (;;) {
      const bool complete = ended_;  // after the end, the next records are the last ones
      if (trouble_ && advance(until)) return Wake::deadline;
      if (complete) return Wake::ended;
      ended_ = supervisor_.wait(Clock::now() + kEvery) == Wake::ended;
    }
  }

  Result<void> trouble() const override { return trouble_; }

 private:
  bool advance(std::optional<Simulation::Time> until) {
    const auto reached = simulation_.advance(until);
    if (!reached) trouble_ = std::unexpected(reached.error());
    return reached.value_or(false);
  }

  Supervisor& supervisor_;
  Simulation& simulation_;
  bool ended_ = false;
  Result<void> trouble_;
};

}  // namespace

std::unique_ptr<RunClock> make_run_clock(Supervisor& supervisor, Simulation* simulation) {
  if (simulation != nullptr) return std::make_unique<SimulatedClock>(supervisor, *simulation);
  return std::make_unique<RealClock>(supervisor);
}

}  // namespace tacho

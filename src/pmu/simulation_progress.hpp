// Tells how far a simulation has come. A simulated run takes 20 to 100 times as long as a real one,
// so a user needs to know whether to wait for it.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

namespace tacho {

class SimulationProgress {
 public:
  // Gets the simulated time, and the real time that it took.
  using Tell = std::function<void(std::chrono::nanoseconds, std::chrono::seconds)>;

  // The real time begins now. `tell` may be empty.
  explicit SimulationProgress(Tell tell) : tell_(std::move(tell)) {}

  // The simulation has come to this time. Tells it after 4 s of real time, after 8 s, after 16 s,
  // and so on: a long run gets few lines.
  void at(std::chrono::nanoseconds simulated) {
    const auto real = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun_);
    if (!tell_ || real < next_) return;
    tell_(simulated, real);
    while (next_ <= real) next_ *= 2;
  }

 private:
  using Clock = std::chrono::steady_clock;

  Tell tell_;
  Clock::time_point begun_ = Clock::now();
  std::chrono::seconds next_{4};
};

}  // namespace tacho

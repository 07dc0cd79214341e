// The part of a run that is to be counted or sampled, as the user asks for it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "process/counting_control.hpp"

namespace tacho {

struct PartOfRun {
  std::optional<double> delay_ms;        // -1: not before a command says so
  std::optional<std::string> control;    // the name of a channel
  std::optional<std::string> in_region;  // the name of a region

  bool is_asked_for() const { return delay_ms || control || in_region; }
};

// An error names options that exclude or need each other. `launches`: a command is counted, and not
// what runs already.
Result<void> check(const PartOfRun& part, bool launches, bool simulated);

// When counting begins, as MeasureRequest and RecordRequest have it.
std::optional<std::chrono::nanoseconds> delay_of(const PartOfRun& part);

// Null if no option asks for one.
Result<std::unique_ptr<CountingControl>> open_control(const PartOfRun& part);

}  // namespace tacho

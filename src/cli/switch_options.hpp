// The options of `tacho stat` and `tacho record` that turn counting on and off during a run.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "process/counting_control.hpp"

namespace CLI {
class App;
}

namespace tacho {

struct SwitchOptions {
  std::optional<double> delay_ms;  // -1: not before a command says so
  std::string control;             // the name of a channel; empty: none
  std::string in_region;           // the name of a region; empty: none

  bool any() const { return delay_ms || !control.empty() || !in_region.empty(); }
};

void declare(CLI::App& subcommand, SwitchOptions& options);

// An error names options that exclude or need each other. `launches`: a command is counted, and not
// what runs already.
Result<void> check(const SwitchOptions& options, bool launches, bool simulated);

// When counting begins, as MeasureRequest and RecordRequest have it.
std::optional<std::chrono::nanoseconds> delay_of(const SwitchOptions& options);

// Null if no option asks for one.
Result<std::unique_ptr<CountingControl>> open_control(const SwitchOptions& options);

}  // namespace tacho

#include "cli/switch_options.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>

#include "cli/option_value.hpp"

namespace tacho {

void declare(CLI::App& subcommand, SwitchOptions& options) {
  subcommand
      .add_option("-D,--delay", options.delay_ms,
                  "Begin to count MS milliseconds after the start; -1: when 'enable' comes from "
                  "--control")
      ->type_name("MS")
      ->transform(decimal(-1.0, 86'400'000.0));
  subcommand
      .add_option("--control", options.control,
                  "Obey commands from there: enable, disable, stop, ping. fd:N[,M] or "
                  "fifo:FILE[,FILE]; the second one gets 'ack' for each")
      ->type_name("CHANNEL");
  subcommand
      .add_option("--in-region", options.in_region,
                  "Count only while a process of the command runs this region, which it has named "
                  "with tacho's library (docs/how-to/measure-regions.md)")
      ->type_name("NAME");
}

Result<void> check(const SwitchOptions& options, bool launches, bool simulated) {
  struct Rule {
    bool broken;
    const char* what;
    const char* remedy;
  };
  const bool controlled = !options.control.empty();
  const bool in_region = !options.in_region.empty();
  const double delay = options.delay_ms.value_or(0);
  const std::array rules = {
      Rule{delay < 0 && delay != -1, "-D takes -1 or a number of milliseconds",
           "-D -1 begins with counting off"},
      Rule{delay == -1 && !controlled, "-D -1 needs --control: nothing else would begin to count",
           "give --control fifo:FILE, -D MS or --in-region NAME"},
      Rule{in_region && controlled, "--in-region and --control exclude each other",
           "give one of them"},
      Rule{in_region && options.delay_ms, "--in-region and -D exclude each other",
           "give one of them"},
      Rule{in_region && !launches, "--in-region needs a command, which learns of it at its start",
           "launch the program: --in-region NAME -- COMMAND…"},
      Rule{simulated && (controlled || in_region),
           "--control and --in-region don't go with a simulation, which is behind the program",
           "leave --pmu simulated out, or use -D with tacho stat"},
  };
  for (const Rule& rule : rules)
    if (rule.broken) return failure(rule.what, rule.remedy);
  return {};
}

std::optional<std::chrono::nanoseconds> delay_of(const SwitchOptions& options) {
  using std::chrono::nanoseconds;
  if (options.delay_ms == -1 || !options.in_region.empty()) return nanoseconds::max();
  if (options.delay_ms.value_or(0) == 0) return std::nullopt;
  return nanoseconds(std::llround(*options.delay_ms * 1e6));
}

Result<std::unique_ptr<CountingControl>> open_control(const SwitchOptions& options) {
  if (!options.in_region.empty()) return CountingControl::open_region(options.in_region);
  if (!options.control.empty()) return CountingControl::open_channel(options.control);
  return nullptr;
}

}  // namespace tacho

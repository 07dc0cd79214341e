#include "process/part_of_run.hpp"

#include <array>
#include <cmath>

namespace tacho {

Result<void> check(const PartOfRun& part, bool launches, bool simulated) {
  struct Rule {
    bool broken;
    const char* what;
    const char* remedy;
  };
  const bool controlled = part.control.has_value();
  const bool in_region = part.in_region.has_value();
  const double delay = part.delay_ms.value_or(0);
  const std::array rules = {
      Rule{delay < 0 && delay != -1, "-D takes -1 or a number of milliseconds",
           "-D -1 begins with counting off"},
      Rule{delay == -1 && !controlled, "-D -1 needs --control: nothing else would begin to count",
           "give --control fifo:FILE or program, -D MS or --in-region NAME"},
      Rule{part.control == "program" && !launches,
           "--control program needs a launched command, which finds the channel in its environment",
           "leave -p, -t, -a, -C or -G out: tacho stat --control program -- COMMAND…"},
      Rule{in_region && part.in_region->empty(), "--in-region: the name is empty",
           "give the name of a region"},
      Rule{in_region && controlled, "--in-region and --control exclude each other",
           "give one of them"},
      Rule{in_region && part.delay_ms, "--in-region and -D exclude each other", "give one of them"},
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

std::optional<std::chrono::nanoseconds> delay_of(const PartOfRun& part) {
  using std::chrono::nanoseconds;
  if (part.delay_ms == -1 || part.in_region) return nanoseconds::max();
  if (part.delay_ms.value_or(0) == 0) return std::nullopt;
  return nanoseconds(std::llround(*part.delay_ms * 1e6));
}

Result<std::unique_ptr<CountingControl>> open_control(const PartOfRun& part) {
  if (part.in_region) return CountingControl::open_region(*part.in_region);
  if (part.control == "program") return CountingControl::open_program();
  if (part.control) return CountingControl::open_channel(*part.control);
  return nullptr;
}

}  // namespace tacho

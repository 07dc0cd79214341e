#include "measure/describe_run.hpp"

#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>

namespace tacho {

Machine describe_machine(const Pmu& pmu, const Plan& plan) {
  utsname name{};
  ::uname(&name);
  const Capabilities pmu_is = pmu.capabilities();
  return {.pmu_kind = pmu_is.kind,
          .pmu_name = pmu_is.name,
          .counters = plan.counters,
          .kernel = name.release,
          .architecture = name.machine,
          .cpus = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)),
          .cycles_error = pmu_is.cycles_error};
}

std::string label(const MeasureRequest& request) {
  if (request.pid) return fmt::format("process {}", *request.pid);
  if (request.every_cpu) return "every CPU";
  return fmt::format("{}", fmt::join(request.launch.argv, " "));
}

std::string now_as_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 64> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%FT%T%z", &local);
  return {text.data(), length};
}

}  // namespace tacho

#include "measure/describe_run.hpp"

#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "base/cpus.hpp"
#include "base/shell_line.hpp"

namespace tacho {
namespace {

// "process 42", "processes 42, 43".
template <class Item>
std::string counted(const char* one, const char* several, const std::vector<Item>& items) {
  return fmt::format("{} {}", items.size() == 1 ? one : several, fmt::join(items, ", "));
}

}  // namespace

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
  if (!request.targets.pids.empty()) return counted("process", "processes", request.targets.pids);
  if (!request.targets.tids.empty()) return counted("thread", "threads", request.targets.tids);
  if (!request.targets.cpus.empty()) return cpus_in_words(cpu_list_text(request.targets.cpus));
  if (request.targets.every_cpu) return request.per_thread ? "every thread" : "every CPU";
  if (!request.cgroups.empty()) {
    std::vector<std::string> names;
    for (const NamedCgroup& group : request.cgroups) names.push_back(group.name);
    return counted("cgroup", "cgroups", names);
  }
  return shell_line(request.launch.argv);
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

#include "pmu/core_pmu.hpp"

#include <filesystem>

#include "base/file.hpp"

namespace tacho {
namespace {

std::string find_core_pmu() {
  namespace fs = std::filesystem;
  std::string found;
  std::error_code error;
  for (fs::directory_iterator entry("/sys/bus/event_source/devices", error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    // A PMU of the core is called cpu, or lists the CPUs that it serves (hybrid x86, every ARM).
    const bool core =
        name == "cpu" || name.starts_with("armv") || fs::exists(entry->path() / "cpus", error);
    if (core && (found.empty() || name == "cpu_core")) found = entry->path();
  }
  return found;
}

}  // namespace

std::string core_pmu_name() {
  static const std::string directory = find_core_pmu();  // every refused event asks again
  const std::string name = std::filesystem::path(directory).filename();
  const std::string model = directory.empty() ? "" : first_line(directory + "/caps/pmu_name");
  return model.empty() ? name : name + " (" + model + ")";
}

}  // namespace tacho

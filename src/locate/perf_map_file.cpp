#include "locate/perf_map_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/file.hpp"
#include "locate/recorded_machine.hpp"

namespace tacho {
namespace {

// The number of a process in the innermost of its PID namespaces: the last one after NSpid in
// /proc/PID/status. The number itself if the process does not run any more.
std::int32_t inner_number(std::int32_t pid) {
  std::istringstream status(read_file(fmt::format("/proc/{}/status", pid)).value_or(""));
  constexpr std::string_view kKey = "NSpid:";
  std::int32_t number = pid;
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kKey)) continue;
    std::istringstream numbers(line.substr(kKey.size()));
    for (std::int32_t each = 0; numbers >> each;) number = each;
  }
  return number;
}

// Whether the process runs and has mounted other directories than tacho, as in a container.
bool has_own_mounts(std::int32_t pid) {
  std::error_code failed;
  const auto of = [&](const std::string& process) {
    return std::filesystem::read_symlink("/proc/" + process + "/ns/mnt", failed).native();
  };
  const std::string its = of(std::to_string(pid));
  return !failed && its != of("self");
}

std::string map_name(std::int32_t pid) {
  return fmt::format("/perf-{}.map", pid);
}

}  // namespace

Result<symbols::OwnedTable> read_perf_map_of(const Module& module,
                                             const perfdata::Description& recording,
                                             const SymbolSources& sources) {
  const std::string outer = sources.perf_maps + map_name(module.pid);
  if (!sources.symfs.empty()) return symbols::read_perf_map(outer, sources.symfs);
  if (is_of_another_machine(recording))
    return failure(fmt::format("'{}' is on '{}', where it was recorded", outer, recording.host),
                   "copy it below a directory, at its path, and give --symfs DIRECTORY", ENOENT);
  const std::int32_t inner = inner_number(module.pid);
  if (inner == module.pid && !has_own_mounts(module.pid)) return symbols::read_perf_map(outer);
  auto inside = symbols::read_perf_map(sources.perf_maps + map_name(inner),
                                       fmt::format("/proc/{}/root", module.pid));
  if (inside) return inside;
  auto outside = symbols::read_perf_map(outer);
  if (!outside && inside.error().code != ENOENT) return inside;
  return outside;
}

}  // namespace tacho

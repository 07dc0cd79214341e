#include "locate/module_file.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "symbols/running_kernel.hpp"

namespace tacho {
namespace {

using perfdata::kDeleted;
using perfdata::kKernelPath;

// Paths where a recorded file may be. With symfs: below that directory, at its path or directly in
// it. Otherwise: at its path, at the path that the process sees (it may still run in a container),
// and in perf's cache of recorded files.
std::vector<std::string> candidates(const Module& module, const std::string& symfs) {
  std::string path = module.path;
  if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
  if (!symfs.empty()) return {symfs + '/' + path, symfs + '/' + path.substr(path.rfind('/') + 1)};
  std::vector<std::string> paths{path};
  // The pid may belong to another process by now. So the other paths are used only with a build ID,
  // which proves that it is the same file.
  if (module.build_id.size() <= 2) return paths;
  paths.push_back(fmt::format("/proc/{}/root{}", module.pid, path));
  paths.push_back(fmt::format("/proc/{}/exe", module.pid));
  if (const char* home = ::getenv("HOME"))
    paths.push_back(fmt::format("{}/.debug/.build-id/{}/{}/elf", home, module.build_id.substr(0, 2),
                                module.build_id.substr(2)));
  return paths;
}

// The build ID of the kernel in the header of the recording. The kernel gives each process its
// [vdso].
std::string kernel_build_id(const perfdata::Description& recording) {
  for (const auto& each : recording.build_ids)
    if (each.mode == perfdata::Mode::kernel && each.path.starts_with(kKernelPath))
      return each.id.hex();
  return {};
}

Result<std::unique_ptr<symbols::Binary>> open_vdso(const Module& module,
                                                   const perfdata::Description& recording) {
  if (module.build_id.empty())
    if (const std::string other = kernel_difference(kernel_build_id(recording), recording);
        !other.empty())
      return failure("it is part of the kernel, and the recorded one " + other);
  return symbols::Binary::own_vdso(module.build_id);
}

}  // namespace

std::string kernel_difference(std::string_view build_id, const perfdata::Description& recording) {
  if (!build_id.empty()) {
    if (symbols::same_build_id(build_id, symbols::running_kernel_build_id())) return {};
    return "is not the one that runs here (their build-ids differ)";
  }
  if (!recording.host.empty() && recording.host != symbols::host_name())
    return fmt::format("ran on '{}'", recording.host);
  if (!recording.kernel.empty() && recording.kernel != symbols::running_kernel_release())
    return fmt::format("is {}, and {} runs here", recording.kernel,
                       symbols::running_kernel_release());
  return {};
}

// Without a build ID, nothing proves that a file is the recorded one. tacho then uses it only if
// the recording was made on this machine, or if the user names a directory of recorded files
// (symfs).
Result<std::unique_ptr<symbols::Binary>> open_module_file(const Module& module,
                                                          const perfdata::Description& recording,
                                                          const SymbolSources& sources) {
  if (module.kind == ModuleKind::vdso) return open_vdso(module, recording);
  if (sources.symfs.empty() && module.build_id.empty() && !recording.host.empty() &&
      recording.host != symbols::host_name())
    return failure(
        fmt::format("it was recorded on '{}' without a build-id, so this machine's file may be "
                    "another one",
                    recording.host));
  if (sources.symfs.empty() && module.build_id.empty() && module.path.ends_with(kDeleted))
    return failure(
        "it was deleted or replaced while it ran, and no build-id shows whether this machine's "
        "file is the same");
  std::optional<Error> first;
  for (const std::string& path : candidates(module, sources.symfs)) {
    auto binary = symbols::Binary::open(path, module.build_id, sources.debug);
    if (binary) return binary;
    if (!first) first = binary.error();
  }
  return std::unexpected(*first);
}

}  // namespace tacho

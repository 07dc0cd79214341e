#include "locate/debuginfod.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "base/program_files.hpp"
#include "process/run_for_output.hpp"

namespace tacho {
namespace {

constexpr const char* kDebuginfodProgram = "debuginfod-find";

}  // namespace

Result<void> need_debuginfod() {
  const char* servers = std::getenv("DEBUGINFOD_URLS");
  if (servers == nullptr || *servers == '\0')
    return failure("nothing can be downloaded: DEBUGINFOD_URLS names no server",
                   "export DEBUGINFOD_URLS=ADDRESS, or leave out --debuginfod");
  if (find_helper(kDebuginfodProgram)) return {};
  return failure(fmt::format("nothing can be downloaded: {} is not installed", kDebuginfodProgram),
                 "install it (Debian: debuginfod), or leave out --debuginfod", ENOENT);
}

std::optional<std::string> download_debug_information(const std::string& build_id) {
  // The program has a limit of its own for slow servers ($DEBUGINFOD_TIMEOUT). This one ends a
  // program that hangs.
  constexpr std::chrono::hours kLongestDownload{1};
  constexpr std::size_t kLongestPath = 1 << 16;  // bytes
  const std::array<std::string, 3> command = {kDebuginfodProgram, "debuginfo", build_id};
  auto path = run_for_output(command, {}, kLongestDownload,
                             kLongestPath);  // it prints the path in its cache
  if (!path) return std::nullopt;
  while (path->ends_with('\n')) path->pop_back();
  return std::move(*path);
}

}  // namespace tacho

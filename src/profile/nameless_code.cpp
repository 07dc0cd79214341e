#include "profile/nameless_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

namespace tacho {
namespace {

// Least share of the samples before a warning says that they have no names.
constexpr double kNamelessShare = 0.01;
// Processes that have a warning of their own.
constexpr std::size_t kMostNamed = 3;

// How a runtime gives names to its code.
struct Runtime {
  std::string_view program;  // beginning of its process's name
  std::string_view remedy;
};
constexpr auto kRuntimes = std::to_array<Runtime>({
    {"node", "run it with node --perf-basic-prof"},
    {"java",
     "run it with java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (JDK 17 or "
     "later), or run 'jcmd PID Compiler.perfmap' before it ends"},
    {"python",
     "run it with python3 -X perf (Python 3.12 or later), and record with --call-graph dwarf"},
    {"dotnet", "run it with DOTNET_PerfMapEnabled=1 in the environment"},
    {"julia", "run it with ENABLE_JITPROFILING=1 in the environment"},
});
constexpr std::string_view kAnyRuntime =
    "if it is a JIT compiler's, let it write a map: node --perf-basic-prof, "
    "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, PYTHONPERFSUPPORT=1, "
    "DOTNET_PerfMapEnabled=1";

std::string_view remedy_of(std::string_view program) {
  const auto* found = std::ranges::find_if(
      kRuntimes, [&](const Runtime& each) { return program.starts_with(each.program); });
  return found == kRuntimes.end() ? kAnyRuntime : found->remedy;
}

std::string described(const Profile& profile, std::uint32_t module, const std::optional<Error>& why,
                      std::string_view place) {
  const std::int32_t pid = profile.modules()[module].pid;
  const std::string program = profile.name_of(pid);
  const std::string process = program.empty() ? fmt::format("process {}", pid)
                                              : fmt::format("process {} ({})", pid, program);
  const bool dumped = std::ranges::any_of(profile.modules(), [&](const Module& each) {
    return each.kind == ModuleKind::jitdump && each.pid == pid;
  });
  if (dumped && (!why || why->code == ENOENT))
    return fmt::format("{} of {} that the JIT compiler's jitdump does not name", place, process);
  if (!why)
    return fmt::format("{} of {} that the JIT compiler's map does not name", place, process);
  if (why->code != ENOENT)
    return fmt::format("{} of {} without names: {}{}{}", place, process, why->what,
                       why->remedy.empty() ? "" : "; ", why->remedy);
  if (!why->remedy.empty())
    return fmt::format("{} of {} without names: {}; {}", place, process, why->what, why->remedy);
  return fmt::format("{} of {}, which has no file and no map of names (/tmp/perf-{}.map): {}",
                     place, process, pid, remedy_of(program));
}

}  // namespace

std::vector<std::string> nameless_code_warnings(const Profile& profile, Resolver& resolver,
                                                std::size_t event) {
  std::vector<std::string> warnings = profile.code().warnings();
  std::map<std::uint32_t, std::uint64_t> nameless;  // samples by module
  for (std::size_t cell = 0; cell < profile.cells().size(); ++cell) {
    const CodePlace& place = profile.cells()[cell];
    if (profile.modules()[place.module].kind != ModuleKind::anonymous) continue;
    const SampleCount count = profile.count(event, cell);
    if (count.samples == 0 || resolver.function(resolver.function_of(place)).known()) continue;
    nameless[place.module] += count.samples;
  }
  const std::uint64_t all = profile.total(event).samples;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> most;  // samples, module
  for (const auto& [module, samples] : nameless)
    if (static_cast<double>(samples) >= kNamelessShare * static_cast<double>(all))
      most.emplace_back(samples, module);
  std::ranges::sort(most, std::ranges::greater());
  for (const auto& [samples, module] : most | std::views::take(kMostNamed))
    warnings.push_back(described(profile, module, resolver.why_no_map(module),
                                 fmt::format("{} of {} samples fell into memory", samples, all)));
  if (most.size() > kMostNamed)
    warnings.push_back(
        fmt::format("{} more processes have such memory without names", most.size() - kMostNamed));
  return warnings;
}

}  // namespace tacho

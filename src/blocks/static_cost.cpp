#include "blocks/static_cost.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

namespace tacho {
namespace {

// Executions that llvm-mca simulates. The start of the first one then adds 1 % at most to the
// average.
constexpr double kIterations = 100;
constexpr std::string_view kRun = "run", kBefore = "before";
// Calls, and the jumps that replace them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kCalls = {
    {{"call", "jmp"}, {"blr", "br"}, {"bl ", "b "}}};

std::string without_call(const std::string& instruction) {
  for (const auto& [call, jump] : kCalls)
    if (instruction.starts_with(call)) {
      const std::string_view rest = std::string_view(instruction).substr(call.size());
      return std::string(jump) += rest.starts_with('q') ? rest.substr(1) : rest;
    }
  return instruction;
}

}  // namespace

std::vector<std::string> mca_options(const CoreFacts& core) {
  return {fmt::format("-mtriple={}", core.triple), fmt::format("-mcpu={}", core.llvm),
          // In LLVM's models, Intel's cores dispatch more than they can retire.
          fmt::format("-dispatch={}", core.width), fmt::format("-iterations={}", kIterations),
          "-instruction-info=0", "-resource-pressure=0"};
}

std::string mca_input(std::span<const std::string> instructions, std::size_t from, std::size_t to) {
  std::string text = fmt::format("# LLVM-MCA-BEGIN {}\n", kRun);
  for (std::size_t i = 0; i <= instructions.size(); ++i) {
    if (to > from && i == from) text += fmt::format("# LLVM-MCA-BEGIN {}\n", kBefore);
    if (to > from && i == to) text += fmt::format("# LLVM-MCA-END {}\n", kBefore);
    if (i == instructions.size()) break;
    text += (i + 1 == instructions.size() ? without_call(instructions[i]) : instructions[i]) + '\n';
  }
  return text + fmt::format("# LLVM-MCA-END {}\n", kRun);
}

// For each region a line "[0] Code Region - run" and, some lines later, "Total Cycles:      3410".
std::optional<StaticCost> parse_mca(std::string_view answer) {
  constexpr std::string_view kRegion = "Code Region - ", kCycles = "Total Cycles:";
  std::optional<double> run, before;
  std::string_view region;
  while (!answer.empty()) {
    const std::string_view line = answer.substr(0, answer.find('\n'));
    answer.remove_prefix(std::min(line.size() + 1, answer.size()));
    if (const std::size_t at = line.find(kRegion); at != line.npos)
      region = line.substr(at + kRegion.size());
    if (!line.starts_with(kCycles)) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    std::uint64_t cycles = 0;
    if (digits == line.npos ||
        std::from_chars(line.data() + digits, line.data() + line.size(), cycles).ec != std::errc{})
      return std::nullopt;
    if (region == kRun) run = static_cast<double>(cycles) / kIterations;
    if (region == kBefore) before = static_cast<double>(cycles) / kIterations;
  }
  if (!run || *run <= 0) return std::nullopt;
  return StaticCost{*run, before};
}

}  // namespace tacho

#include "blocks/code_runs.hpp"

#include <fmt/format.h>

namespace tacho {

std::uint64_t CodeRun::saturated() const {
  if (cycles.empty() || cycles.bins().back().value != kMostCycles) return 0;
  return cycles.bins().back().count;
}

std::optional<double> CodeRun::ipc() const {
  if (!instructions || cycle_sum == 0) return std::nullopt;
  return static_cast<double>(*instructions) * static_cast<double>(cycles.total()) /
         static_cast<double>(cycle_sum);
}

std::string run_name(const CodeRun& run, const Blocks& blocks) {
  if (!run.function.empty()) return fmt::format("{}+0x{:x}", run.function, run.function_offset);
  if (blocks.modules[run.module].has_code) return fmt::format("0x{:x}", run.start);
  return fmt::format("0x{:x}…0x{:x}", run.start, run.end);
}

}  // namespace tacho

#include "compare/runs.hpp"

#include <array>

namespace tacho {

std::string_view to_string(Stopped stopped) {
  constexpr std::array<std::string_view, 5> kWords{"decided", "precise", "looks", "time", "signal"};
  return kWords[static_cast<std::size_t>(stopped)];
}

std::vector<std::optional<double>> PairedRuns::series(std::size_t member,
                                                      std::size_t metric) const {
  std::vector<std::optional<double>> values(blocks);
  for (const ComparedRun& run : runs)
    if (run.member == member && run.block >= 1 && run.block <= blocks)
      values[run.block - 1] = run.values[metric];
  return values;
}

}  // namespace tacho

#include "analysis/runs.hpp"

namespace tacho {

std::uint64_t Run::saturated() const {
  return !cycles.empty() && cycles.bins().back().value == kMostCycles ? cycles.bins().back().count
                                                                      : 0;
}

std::optional<double> Run::ipc() const {
  if (!instructions || cycle_sum == 0) return std::nullopt;
  return static_cast<double>(*instructions) * static_cast<double>(cycles.total()) /
         static_cast<double>(cycle_sum);
}

std::optional<BranchRatio> mispredict_ratio(std::uint64_t mispredicted, std::uint64_t told) {
  if (told == 0) return std::nullopt;
  const double value = static_cast<double>(mispredicted) / static_cast<double>(told);
  return BranchRatio{value, wilson95(value, static_cast<double>(told))};
}

}  // namespace tacho

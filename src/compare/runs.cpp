#include "compare/runs.hpp"

#include <algorithm>
#include <array>

namespace tacho {

std::string_view to_string(Stopped stopped) {
  constexpr std::array<std::string_view, 5> kWords{"decided", "precise", "looks", "time", "signal"};
  return kWords[static_cast<std::size_t>(stopped)];
}

bool counts_alike(const Machine& machine, const std::vector<double>& values) {
  const auto as_first = [&](double value) { return value == values.front(); };
  return machine.simulated() && values.size() > 1 && std::ranges::all_of(values, as_first);
}

bool PairedRuns::exact() const {
  for (std::size_t member = 0; member < members.size(); ++member) {
    std::vector<double> values;
    for (const auto& value : series(member, primary))
      if (value) values.push_back(*value);
    if (!counts_alike(machine, values)) return false;
  }
  return true;
}

std::vector<std::size_t> PairedRuns::compared() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 1; i < members.size(); ++i)
    if (members[i].role == BlockMember::Role::compared) found.push_back(i);
  return found;
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

#include "record/cpu_absences.hpp"

#include <fmt/format.h>

namespace tacho {

namespace {

std::string_view change_of(bool was_online, bool is_online) {
  if (was_online) return is_online ? "went offline and came back" : "went offline";
  return is_online ? "came online" : "came online and went again";
}

}  // namespace

CpuAbsences::CpuAbsences(const std::string& online) : watch_(online) {}

void CpuAbsences::look(double at_s) {
  const std::vector<CpuChange> changes = watch_.look();
  for (const CpuChange& change : changes) {
    Absence& absence =
        absences_.try_emplace(change.cpu, Absence{looked_s_, change.was_online, false})
            .first->second;
    absence.is_there = change.is_online;
  }
  if (!changes.empty()) watch_.guard();
  looked_s_ = at_s;
}

std::vector<std::string> CpuAbsences::warnings(double end_s) const {
  std::vector<std::string> warnings;
  for (const auto& [cpu, absence] : absences_) {
    warnings.push_back(fmt::format(
        "CPU {} {} during the recording: it was not sampled for the last {:.1f} s of {:.1f}{}", cpu,
        change_of(absence.was_there, absence.is_there), end_s - absence.since_s, end_s,
        absence.is_there ? ", whatever ran there (record again while it stays online)" : ""));
  }
  return warnings;
}

}  // namespace tacho

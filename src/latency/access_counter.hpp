// Events for each access of a list, on any PMU. tacho walks the list as a workload of its own, a
// short and a long way. The difference belongs to the accesses, without the start of the program
// and the making of the list.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "events/catalogue.hpp"
#include "latency/report/report.hpp"
#include "latency/walk.hpp"
#include "measure/plan.hpp"
#include "pmu/choice/make_pmu.hpp"
#include "process/supervisor.hpp"

namespace tacho {

class AccessCounter {
 public:
  static constexpr int kPairs = 5;

  // `lists` are lists of events, as for `tacho stat -e`.
  static Result<AccessCounter> open(const PmuChoice& choice, const std::vector<std::string>& lists);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& units() const { return units_; }  // one for each event
  // Why an event has no figures, one for each event; empty if it has. Valid after a count.
  const std::vector<std::string>& reasons() const { return reasons_; }
  // The signal that ended the last count: one to tacho, which no handler saw, or one to the walk.
  std::optional<int> ended_by() const { return ended_by_; }
  std::string pmu() const;  // "hardware, sapphire_rapids"

  // For each event, its count per access, over `walk.steps` accesses after `warming` ones: the mean
  // of kPairs pairs of walks, with Student's interval. An error if the walk can't be run, or if a
  // signal ended it (code EINTR).
  Result<std::vector<std::optional<PerAccess>>> count(const Walk& walk, std::size_t warming);

 private:
  AccessCounter() = default;
  Result<std::vector<std::optional<PerAccess>>> run(const Walk& walk);
  Result<std::vector<std::optional<PerAccess>>> pair(Walk walk, std::size_t warming);

  std::unique_ptr<Catalogue> catalogue_;
  std::unique_ptr<Pmu> pmu_;
  std::unique_ptr<Supervisor> supervisor_;
  Plan plan_;
  std::string program_;
  std::vector<std::string> names_;
  std::vector<std::string> units_;
  std::vector<std::string> reasons_;
  std::optional<int> ended_by_;
};

}  // namespace tacho

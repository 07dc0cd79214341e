#include "latency/access_counter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/own_program.hpp"
#include "estimate/summarise.hpp"
#include "measure/measure.hpp"
#include "pmu/choice/event_groups.hpp"
#include "stats/repeats.hpp"

namespace tacho {

Result<AccessCounter> AccessCounter::open(const PmuChoice& choice,
                                          const std::vector<std::string>& lists) {
  AccessCounter made;
  made.program_ = own_program();
  if (made.program_.empty())
    return failure("cannot find tacho's own program, which walks the lists", "mount /proc");
  made.catalogue_ = std::make_unique<Catalogue>();
  made.pmu_ = TACHO_TRY(make_pmu(choice, *made.catalogue_));
  const auto groups = TACHO_TRY(resolve_groups(*made.pmu_, lists));
  for (const EventGroup& group : groups)
    for (const Event& event : group) {
      const std::string& name = event.part_of.empty() ? event.name : event.part_of;
      if (std::ranges::find(made.names_, name) != made.names_.end()) continue;
      made.names_.push_back(name);
      made.units_.push_back(event.unit);
    }
  made.reasons_.resize(made.names_.size());
  made.supervisor_ = TACHO_TRY(Supervisor::create());
  made.plan_ = make_plan(*made.pmu_, groups, {});
  return made;
}

std::string AccessCounter::pmu() const {
  const Capabilities is = pmu_->capabilities();
  const std::string kind(to_string(is.kind));
  return is.name.empty() ? kind : fmt::format("{}, {}", kind, is.name);
}

Result<std::vector<std::optional<PerAccess>>> AccessCounter::run(const Walk& walk) {
  std::vector<std::string> command{program_, "latency"};
  std::ranges::move(arguments_of(walk), std::back_inserter(command));
  const MeasureRequest request{.launch = {.argv = std::move(command)}};
  auto measured = measure(*pmu_, *supervisor_, plan_, request, {});
  ended_by_ = supervisor_->interrupted_by();
  if (!ended_by_ && measured) ended_by_ = measured->whole.workload.signal;
  if (ended_by_) return failure("a signal ended the counting of events", "", EINTR);
  if (!measured) return std::unexpected(measured.error());
  const Workload& workload = measured->whole.workload;
  if (workload.exit_code != 0)
    return failure(fmt::format("cannot walk a list of {} bytes", walk.bytes),
                   "see the message above");
  const Summary summary = summarise(measured->whole, {});
  std::vector<std::optional<PerAccess>> values(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto event = std::ranges::find(summary.events, names_[i], &EventSummary::name);
    if (event == summary.events.end()) continue;
    if (event->estimate) values[i] = PerAccess{*event->estimate, event->ci95};
    if (!event->estimate && reasons_[i].empty()) reasons_[i] = event->reason;
  }
  return values;
}

Result<std::vector<std::optional<PerAccess>>> AccessCounter::pair(Walk walk, std::size_t warming) {
  const std::size_t steps = walk.steps;
  walk.steps = std::max<std::size_t>(warming, 1);
  const auto less = TACHO_TRY(run(walk));
  walk.steps += steps;
  auto more = TACHO_TRY(run(walk));
  const auto each = static_cast<double>(steps);
  for (std::size_t i = 0; i < more.size(); ++i) {
    std::optional<PerAccess>& made = more[i];
    const std::optional<PerAccess>& before = less[i];
    if (!made || !before) {
      made.reset();
      continue;
    }
    made->value = (made->value - before->value) / each;
    if (made->ci95 && before->ci95)
      made->ci95 = std::hypot(*made->ci95, *before->ci95) / each;
    else
      made->ci95.reset();
  }
  return more;
}

// On a real core the counts differ from pair to pair; on a simulated one they do not.
Result<std::vector<std::optional<PerAccess>>> AccessCounter::count(const Walk& walk,
                                                                   std::size_t warming) {
  if (pmu_->capabilities().kind == PmuKind::simulated) return pair(walk, warming);
  std::vector<std::vector<double>> values(names_.size());
  for (int i = 0; i < kPairs; ++i) {
    const auto found = TACHO_TRY(pair(walk, warming));
    for (std::size_t k = 0; k < values.size(); ++k)
      if (found[k]) values[k].push_back(found[k]->value);
  }
  std::vector<std::optional<PerAccess>> counted(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k].empty()) continue;
    const Repeats pairs = over_repeats(values[k], 1 / static_cast<double>(walk.steps));
    counted[k] = PerAccess{pairs.mean, pairs.half_width};
  }
  return counted;
}

}  // namespace tacho

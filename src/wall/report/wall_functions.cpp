#include "wall/report/wall_functions.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "wall/report/wake_summary.hpp"

namespace tacho {

KnownSum StateSum::unsampled() const {
  return {.ns = static_cast<double>(all_ns - std::min(all_ns, sampled.exact_ns())),
          .times = static_cast<double>(all_times - std::min(all_times, sampled.exact_times()))};
}

double StateSum::scale() const {
  return sampled.some_ns() == 0 ? 0 : unsampled().ns / sampled.some_ns();
}

namespace {

// The times of a function with all that it called.
struct Inclusive {
  SampleCount running;
  double ready = 0, waiting = 0;
  std::map<std::size_t, double> by_reason;
  std::uint64_t alone = 0, running_on_path = 0;
  double off_on_path = 0;
  std::size_t seen = 0;  // the number of the visit that added to it last
};

class FunctionTimes {
 public:
  FunctionTimes(const WallHistory& history, std::size_t functions)
      : history_(history), sums_(functions) {}

  const std::vector<Inclusive>& sums() const { return sums_; }

  void add_running() {
    const auto event = history_.places.running();
    if (!event) return;
    const Profile& profile = history_.profile;
    for (std::size_t node = 0; node < profile.nodes().size(); ++node)
      if (const SampleCount count = profile.count_at_node(*event, node); count.samples > 0)
        each_function(node, [&](Inclusive& sum) { sum.running += count; });
    for (const TimedSample& sample : profile.samples()) {
      if (sample.event != *event) continue;
      const bool alone = running_at(history_.levels, sample.time_ns) == 1;
      const bool on_path = is_on_path(sample.time_ns, sample.tid);
      if (!alone && !on_path) continue;
      each_function(sample.node, [&](Inclusive& sum) {
        if (alone) sum.alone += sample.period;
        if (on_path) sum.running_on_path += sample.period;
      });
    }
  }

  void add_absences(double ready_scale, double waiting_scale) {
    struct OfNode {
      double ready = 0, waiting = 0;
    };
    std::map<std::uint32_t, OfNode> of_nodes;
    for (const TimeOff& off : history_.absences) {
      const auto node = history_.places.node_of(off);
      if (!node || !history_.thread_of(off)) continue;
      const auto length = [&](PartOff part, std::uint64_t begin_ns, std::uint64_t end_ns,
                              double scale) {
        const auto ns = history_.choice.within(begin_ns, end_ns).value_or(0);
        const double weight = history_.weight_of(off, part);
        return static_cast<double>(ns) * (weight == 1 ? 1 : weight * scale);
      };
      OfNode& sum = of_nodes[*node];
      const std::uint64_t woken = off.woken_or_end_ns();
      if (off.state == ThreadState::ready)
        sum.ready += length(PartOff::first, off.begin_ns, off.end_ns, ready_scale);
      else
        sum.waiting += length(PartOff::first, off.begin_ns, woken, waiting_scale);
      if (off.woken_ns) sum.ready += length(PartOff::woken, woken, off.end_ns, ready_scale);
    }
    for (const auto& each : of_nodes) {
      const std::uint32_t node = each.first;
      const OfNode& sum = each.second;
      each_function(node, [&](Inclusive& all) {
        all.ready += sum.ready;
        all.waiting += sum.waiting;
        if (sum.waiting > 0) all.by_reason[history_.places.reason_of(node)] += sum.waiting;
      });
    }
  }

  void add_path() {
    std::map<ThreadState, PathTotal> totals = path_totals(history_);
    for (const PathStep& step : history_.path) {
      if (step.state == ThreadState::running || step.state == ThreadState::unknown) continue;
      const TimeOff& off = history_.absences[step.absence];
      const auto node = history_.places.node_of(off);
      const auto length_ns = history_.choice.within(step.begin_ns, step.end_ns);
      if (!node || !length_ns || !history_.thread_of(off)) continue;
      const PathTotal& total = totals[step.state];
      const double weight = history_.weight_of(off, part_of(step, off));
      const double stands_for =
          weight == 1 ? 1 : weight * static_cast<double>(total.all_ns) / total.sampled.some_ns();
      each_function(*node, [&](Inclusive& sum) {
        sum.off_on_path += stands_for * static_cast<double>(*length_ns);
      });
    }
  }

 private:
  template <class Visit>
  void each_function(std::size_t node, const Visit& visit) {
    ++visits_;
    for (const FunctionId id : history_.places.functions(node, false)) {
      if (sums_[id].seen == visits_) continue;
      sums_[id].seen = visits_;
      visit(sums_[id]);
    }
  }

  // Whether the critical path was in this thread at this time, which ran.
  bool is_on_path(std::uint64_t time_ns, std::int32_t tid) const {
    const auto& path = history_.path;
    const auto after = std::ranges::upper_bound(path, time_ns, {}, &PathStep::begin_ns);
    if (after == path.begin()) return false;
    const PathStep& step = *(after - 1);
    return step.tid == tid && time_ns < step.end_ns && step.state == ThreadState::running;
  }

  const WallHistory& history_;
  std::vector<Inclusive> sums_;  // by function
  std::size_t visits_ = 0;
};

}  // namespace

std::vector<WallFunction> wall_functions(const WallHistory& history, Resolver& resolver,
                                         std::uint64_t running_ns, const StateSum& ready,
                                         const StateSum& waiting) {
  FunctionTimes times(history, resolver.function_count());
  times.add_running();
  times.add_absences(ready.scale(), waiting.scale());
  times.add_path();
  const WallPlaces& places = history.places;
  const Profile& profile = history.profile;
  const auto event = places.running();
  const SampleCount whole = event ? profile.total(*event) : SampleCount();
  std::vector<double> changes(times.sums().size());
  if (whole.samples > 0)
    changes = profile.total_changes(*event, places.function_of(), changes.size());
  const auto all_ns = static_cast<double>(running_ns);
  double path_ns = 0;
  for (const PathStep& step : history.path)
    path_ns += static_cast<double>(history.choice.within(step.begin_ns, step.end_ns).value_or(0));
  std::vector<WallFunction> rows;
  for (FunctionId id = 0; id < times.sums().size(); ++id) {
    const Inclusive& sum = times.sums()[id];
    if (sum.running.samples == 0 && sum.ready == 0 && sum.waiting == 0) continue;
    WallFunction row{.module = resolver.module_name(resolver.function(id).module),
                     .name = places.name_of(id),
                     .ready_ns = sum.ready,
                     .waiting_ns = sum.waiting,
                     .path_ns = sum.off_on_path,
                     .reason = kNoReason};
    if (whole.samples > 0) {
      const auto all = static_cast<double>(whole.sum);
      const ShareInterval ends = profile.share95(*event, sum.running, whole, changes[id]);
      row.running_ns = static_cast<double>(sum.running.sum) / all * all_ns;
      row.low_ns = ends.low * all_ns;
      row.high_ns = ends.high * all_ns;
      row.alone_ns = static_cast<double>(sum.alone) / all * all_ns;
      row.path_ns += static_cast<double>(sum.running_on_path) / all * all_ns;
    }
    row.path_ns = std::min({row.path_ns, row.wall_ns(), path_ns});  // the first two are estimates
    const auto most =
        std::ranges::max_element(sum.by_reason, {}, [](const auto& each) { return each.second; });
    if (most != sum.by_reason.end()) row.reason = most->first;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tacho

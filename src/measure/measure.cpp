#include "measure/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/file.hpp"
#include "measure/describe_run.hpp"
#include "measure/fill_measurement.hpp"
#include "measure/hotplug.hpp"
#include "measure/run_clock.hpp"
#include "measure/run_warnings.hpp"
#include "measure/schedule.hpp"
#include "measure/simulated_launch.hpp"
#include "measure/target_counters.hpp"
#include "pmu/targets.hpp"
#include "stats/merge_rounds.hpp"
#include "stats/quantile.hpp"

namespace tacho {
namespace {

using Clock = Supervisor::Clock;
using std::chrono::nanoseconds;

// Number of recent turns whose median cost and length are reported.
constexpr std::size_t kRecent = 4'096;

double in_seconds(nanoseconds time) {
  return static_cast<double>(time.count()) / 1e9;
}

double median_seconds(const std::vector<nanoseconds>& times) {
  if (times.empty()) return 0;
  std::vector<double> seconds;
  for (const nanoseconds time : times) seconds.push_back(in_seconds(time));
  return median(seconds);
}

// One run, from opening the counters to their last reading.
class Run {
 public:
  Run(Pmu& pmu, Supervisor& supervisor, const Plan& plan, const MeasureRequest& request,
      const Listener& listener)
      : pmu_(pmu),
        supervisor_(supervisor),
        plan_(plan),
        request_(request),
        listener_(listener),
        at_exec_(launched() && pmu.capabilities().sees_exec) {}

  Result<Measured> operator()() {
    TACHO_TRY(prepare());
    if (!at_exec_) describe();
    TACHO_TRY(start());
    if (at_exec_) describe();
    while (clock_->wait(next_deadline()) == Wake::deadline) {
      if (clock_->now() >= look_) look_at_cpus();
      if (clock_->now() >= attend_) attend();
      if (clock_->now() >= period_end_) end_period(true);
      if (clock_->now() >= interval_end_) end_interval(clock_->now(), read_always());
    }
    TACHO_TRY(clock_->trouble());
    finish();
    if (simulation_) TACHO_TRY(conclude(*simulation_, whole()));
    return std::move(measured_);
  }

 private:
  Measurement& whole() { return measured_.whole; }

  Result<void> prepare() {
    if (!request_.command.empty())
      simulation_ = TACHO_TRY(prepare_command(pmu_, supervisor_, request_, has_periods()));
    else if (request_.pid)
      TACHO_TRY(supervisor_.watch(*request_.pid));
    std::vector<std::size_t> sets(plan_.sets.size());
    for (std::size_t i = 0; i < sets.size(); ++i) sets[i] = i;
    const Schedule::Lengths lengths{
        .first = simulation_ ? Schedule::kFirstSimulated : Schedule::kFirst,
        .longest = request_.longest_period};
    schedule_.emplace(sets, lengths, request_.seed);
    clock_ = make_run_clock(supervisor_, simulation_.get(), schedule_->shrinking_time());
    if (!sets.empty()) turn_ = schedule_->next();
    TACHO_TRY(open_targets());

    std::vector<std::optional<Error>> refused = plan_.refused;
    for (const TargetCounters& target : targets_)
      for (std::size_t i = 0; i < refused.size(); ++i)
        if (!refused[i]) refused[i] = target.refused()[i];
    TACHO_TRY(check_that_something_counts(refused));
    whole() = blank_measurement(plan_, refused);
    return {};
  }

  // Describes the run. tacho does this while the workload loads, unless its own work would then be
  // counted.
  void describe() {
    whole().workload.command = request_.command;
    whole().workload.label = label(request_);
    whole().workload.every_cpu = request_.every_cpu;
    whole().workload.started = now_as_text();
    whole().machine = describe_machine(pmu_, plan_);
    whole().period_ms = 1e3 * in_seconds(request_.longest_period);
    for (Measured::Part& part : measured_.parts) {
      part.measurement = whole();
      part.measurement.workload.label = part.label;
    }
    if (listener_.begun) listener_.begun(whole());
  }

  // Returns an error if no requested event can be counted for a running process or the CPUs. A
  // command is run anyway.
  Result<void> check_that_something_counts(const std::vector<std::optional<Error>>& refused) const {
    const auto asked = std::span(refused).first(plan_.asked);
    if (launched() || asked.empty() ||
        !std::ranges::all_of(asked, &std::optional<Error>::has_value))
      return {};
    return failure(fmt::format("none of the requested events can be counted for {}: {}",
                               label(request_), asked.front()->what),
                   asked.front()->remedy);
  }

  struct NamedTarget {
    std::string name;  // of its part of the Measurement
    Target target;
  };

  Result<std::vector<NamedTarget>> find_targets() const {
    if (launched()) return std::vector<NamedTarget>{{"", Launched{supervisor_.pid()}}};
    if (!request_.parted && request_.pid)
      return std::vector<NamedTarget>{{"", Process{*request_.pid}}};
    if (!request_.parted) return std::vector<NamedTarget>{{"", EveryCpu{}}};
    std::vector<NamedTarget> targets;
    if (request_.pid) {
      const auto threads = TACHO_TRY(threads_of(*request_.pid));
      for (const pid_t tid : threads)
        targets.push_back({thread_name(*request_.pid, tid), Thread{tid}});
    } else {
      const auto cpus = TACHO_TRY(places(EveryCpu{}, {}));
      for (const Place& place : cpus)
        targets.push_back({fmt::format("CPU {}", place.cpu), OneCpu{place.cpu}});
    }
    return targets;
  }

  Result<void> open_targets() {
    const Start start = launched() ? Start::at_exec : Start::stopped;
    Error last;
    const auto found = TACHO_TRY(find_targets());
    for (const auto& [name, target] : found) {
      auto counters = TargetCounters::open(pmu_, plan_, target, start, turn_.set);
      if (!counters) {
        last = counters.error();  // a thread that has ended since, or a CPU that went offline
        continue;
      }
      targets_.push_back(std::move(*counters));
      if (request_.parted) measured_.parts.push_back({name, {}});
    }
    if (targets_.empty()) return std::unexpected(last);
    if (request_.every_cpu) hotplug_.emplace(CpuWatch(), !request_.parted);
    return {};
  }

  static std::string thread_name(pid_t pid, pid_t tid) {
    std::string name = read_file(fmt::format("/proc/{}/task/{}/comm", pid, tid)).value_or("");
    if (name.ends_with('\n')) name.pop_back();  // added by the kernel; a name may contain others
    return fmt::format("{} ({})", tid, name);
  }

  bool launched() const { return !request_.pid && !request_.every_cpu; }
  bool turning() const { return !plan_.sets.empty(); }
  bool has_periods() const { return turning() || listener_.period; }

  Result<void> start() {
    if (!at_exec_) {
      for (TargetCounters& target : targets_) {
        TACHO_TRY(target.start_always());
        if (turning() && target.opened(turn_.set)) TACHO_TRY(target.turn_on(turn_.set));
      }
    }
    begun_ = clock_->now();
    if (!request_.command.empty()) TACHO_TRY(release_command(supervisor_, simulation_.get()));
    const auto now = clock_->now();
    period_start_ = interval_start_ = begun_;
    if (has_periods()) period_end_ = now + (turning() ? turn_.length : request_.longest_period);
    if (request_.interval) interval_end_ = now + *request_.interval;
    if (hotplug_) look_ = now;
    if (const auto within = pmu_.attend_within()) attend_ = now + *within;
    return {};
  }

  std::optional<Clock::time_point> next_deadline() const {
    const auto next = std::min({period_end_, interval_end_, look_, attend_});
    if (next == Clock::time_point::max()) return std::nullopt;
    return next;
  }

  void look_at_cpus() {
    hotplug_->check(targets_);
    look_ = clock_->now() + Hotplug::kEvery;
  }

  void attend() {
    pmu_.attend();
    attend_ = clock_->now() + *pmu_.attend_within();
  }

  // Ends the current period. With `go_on` it begins the next one.
  void end_period(bool go_on) {
    const auto before = clock_->now();
    Period period{.start_s = in_seconds(period_start_ - begun_),
                  .duration_s = in_seconds(before - period_start_),
                  .round = turn_.round,
                  .set = static_cast<std::uint32_t>(turn_.set),
                  .counts = {}};
    const std::size_t set = turn_.set;
    if (turning() && go_on) turn_ = schedule_->next(clock_->remaining());
    for (std::size_t i = 0; i < targets_.size() && turning(); ++i) {
      if (targets_[i].opened(set)) turn_off(i, set, period);
      if (go_on && targets_[i].opened(turn_.set)) note(targets_[i].turn_on(turn_.set));
    }
    const auto after = clock_->now();
    period_start_ = after;
    if (turning()) {
      schedule_->turn_took(after - before);
      keep_recent(after - before, before);
      whole().turning_s += in_seconds(after - before);
      if (request_.interval) interval_periods_.push_back(period);
      add_period(whole(), period);
    }
    if (listener_.period) {
      const std::vector<std::uint64_t> gained = values(gained_since(last_period_, read_always()));
      listener_.period(whole(), period, gained, plan_.reference ? gained.front() : 0);
    }
    period_end_ = after + (turning() ? turn_.length : request_.longest_period);
  }

  void turn_off(std::size_t target, std::size_t set, Period& whole_period) {
    Period counted{.start_s = whole_period.start_s,
                   .duration_s = whole_period.duration_s,
                   .round = whole_period.round,
                   .set = whole_period.set,
                   .counts = {}};
    note(targets_[target].turn_off(set, counted));
    add(whole_period, counted);
    if (!measured_.parts.empty())
      add_period(measured_.parts[target].measurement, std::move(counted));
  }

  // An error while the workload runs must not end the run: the first one becomes a warning.
  void note(const Result<void>& done) {
    if (done || complained_) return;
    complained_ = true;
    whole().warnings.push_back(done.error().what + ": counts are incomplete");
  }

  void keep_recent(nanoseconds cost, Clock::time_point until) {
    if (costs_.size() < kRecent) {
      costs_.push_back(cost);
      lengths_.push_back(until - last_turn_.value_or(begun_));
    } else {
      costs_[recent_ % kRecent] = cost;
      lengths_[recent_ % kRecent] = until - *last_turn_;
    }
    last_turn_ = until + cost;
    ++recent_;
  }

  std::vector<Reading> read_always() {
    std::vector<Reading> sum;
    always_read_.resize(targets_.size());
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      note(targets_[i].read_always(always_read_[i]));
      add(sum, always_read_[i]);
    }
    sum.resize(whole().always.size());
    return sum;
  }

  void end_interval(Clock::time_point now, const std::vector<Reading>& always) {
    if (listener_.interval) {
      Measurement slice = whole_without_periods();
      slice.periods = std::exchange(interval_periods_, {});
      slice.merge_factor = 1;
      slice.turning_s -= std::exchange(turned_before_interval_, slice.turning_s);
      fill_totals(slice, plan_, gained_since(last_interval_, always));
      slice.workload.elapsed_s = in_seconds(now - interval_start_);
      listener_.interval(slice, in_seconds(now - begun_));
    }
    interval_start_ = now;
    // Ends of intervals that passed while this interval was read and printed are skipped.
    const auto after = clock_->now();
    if (!request_.interval) return;
    do interval_end_ += *request_.interval;
    while (interval_end_ <= after);
  }

  Measurement whole_without_periods() {
    std::vector<Period> kept = std::exchange(whole().periods, {});
    Measurement copy = whole();
    whole().periods = std::move(kept);
    return copy;
  }

  void finish() {
    const auto ended = clock_->now();
    if (hotplug_) look_at_cpus();
    // In simulated time the last period may end at exactly the end of the run.
    if (has_periods() && ended > period_start_) end_period(false);
    // One reading for all: then the intervals add up to the whole, and so do the parts.
    const std::vector<Reading> always = read_always();
    if (request_.interval && ended > interval_start_) end_interval(ended, always);
    Measurement& m = whole();
    fill_totals(m, plan_, always);
    m.workload.elapsed_s = in_seconds(ended - begun_);
    const Ending& ending = supervisor_.ending();
    // The time and memory of a simulator are not those of the workload.
    m.workload.has_usage = ending.has_usage && launched() && !simulation_;
    m.workload.user_s = ending.user_s;
    m.workload.system_s = ending.system_s;
    m.workload.max_rss_bytes = ending.max_rss_bytes;
    m.workload.exit_code = ending.exit_code;
    m.workload.signal = ending.signal;
    m.reached_period_ms = 1e3 * median_seconds(lengths_);
    m.turn_cost_us = 1e6 * median_seconds(costs_);
    for (std::size_t i = 0; i < measured_.parts.size(); ++i) {
      Measurement& part = measured_.parts[i].measurement;
      part.workload.elapsed_s = m.workload.elapsed_s;
      part.turning_s = m.turning_s;
      fill_totals(part, plan_, always_read_[i]);
    }
    if (hotplug_) std::ranges::copy(hotplug_->warnings(), std::back_inserter(m.warnings));
    std::ranges::copy(pmu_.remarks(), std::back_inserter(m.warnings));
    warn_of_long_periods(m);
    // While the command is stopped, no event counts, but time goes on; in a simulation it does not.
    if (launched() && !simulation_) warn_of_stops(m, ending.stopped_s);
    warn_of_restriction(m, pmu_.capabilities().restriction);
  }

  Pmu& pmu_;
  Supervisor& supervisor_;
  const Plan& plan_;
  const MeasureRequest& request_;
  const Listener& listener_;
  const bool at_exec_;                      // the workload's exec starts the counters
  std::unique_ptr<Simulation> simulation_;  // if the PMU runs the command itself
  std::unique_ptr<RunClock> clock_;

  Measured measured_;
  std::vector<TargetCounters> targets_;
  std::vector<std::vector<Reading>> always_read_;  // last readings of the events counted always
  std::optional<Hotplug> hotplug_;                 // if every CPU is counted
  std::optional<Schedule> schedule_;
  Schedule::Turn turn_;
  Clock::time_point begun_;
  Clock::time_point period_start_;
  Clock::time_point interval_start_;
  Clock::time_point period_end_ = Clock::time_point::max();
  Clock::time_point interval_end_ = Clock::time_point::max();
  Clock::time_point look_ = Clock::time_point::max();    // when to look for changed CPUs
  Clock::time_point attend_ = Clock::time_point::max();  // when to call Pmu::attend()
  std::vector<Period> interval_periods_;
  std::vector<Reading> last_period_;    // events counted always, at the end of the last period
  std::vector<Reading> last_interval_;  // and at the end of the last interval
  double turned_before_interval_ = 0;   // time of all turns up to then, in seconds
  std::vector<nanoseconds> costs_;
  std::vector<nanoseconds> lengths_;
  std::optional<Clock::time_point> last_turn_;
  std::size_t recent_ = 0;
  bool complained_ = false;
};

}  // namespace

Result<Measured> measure(Pmu& pmu, Supervisor& supervisor, const Plan& plan,
                         const MeasureRequest& request, const Listener& listener) {
  return Run(pmu, supervisor, plan, request, listener)();
}

}  // namespace tacho

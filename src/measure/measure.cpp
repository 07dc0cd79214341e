#include "measure/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <variant>

#include "measure/describe_run.hpp"
#include "measure/events_watch.hpp"
#include "measure/fill_measurement.hpp"
#include "measure/find_targets.hpp"
#include "measure/hotplug.hpp"
#include "measure/interval_slice.hpp"
#include "measure/lane_schedules.hpp"
#include "measure/recent_turns.hpp"
#include "measure/run_clock.hpp"
#include "measure/run_targets.hpp"
#include "measure/run_warnings.hpp"
#include "measure/simulated_launch.hpp"
#include "process/cgroups.hpp"
#include "process/counting_times.hpp"
#include "stats/merge_rounds.hpp"

namespace tacho {
namespace {

using Clock = Supervisor::Clock;
using std::chrono::nanoseconds;

double in_seconds(nanoseconds time) {
  return static_cast<double>(time.count()) / 1e9;
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
        at_exec_(launched() && pmu.capabilities().sees_exec && !request.delay) {}

  Result<Measured> operator()() {
    TACHO_TRY(prepare());
    if (!at_exec_) describe();
    TACHO_TRY(start());
    if (at_exec_) describe();
    while (!stopped_) {
      const Wake wake = clock_->wait(next_deadline(), kill_at_, control_descriptor());
      if (wake == Wake::ended) break;
      if (wake == Wake::ready) {
        obey();
        continue;
      }
      if (Clock::now() >= kill_at_) time_out();
      if (clock_->now() >= turn_on_) turn_on();
      if (clock_->now() >= stop_) stop();
      if (clock_->now() >= look_) look_at_targets();
      if (clock_->now() >= attend_) attend();
      if (clock_->now() >= period_end_) end_period(true);
      if (clock_->now() >= interval_end_) end_interval(clock_->now(), read_always());
    }
    TACHO_TRY(clock_->trouble());
    if (const auto& unknown = supervisor_.ending().unknown) return std::unexpected(*unknown);
    finish();
    if (simulation_) TACHO_TRY(conclude(*simulation_, whole()));
    return std::move(measured_);
  }

 private:
  Measurement& whole() { return measured_.whole; }

  Result<void> prepare() {
    if (!request_.launch.argv.empty())
      simulation_ = TACHO_TRY(prepare_command(pmu_, supervisor_, request_, has_periods()));
    else
      TACHO_TRY(watch_targets());
    const Schedule::Lengths lengths{
        .first = simulation_ ? Schedule::kFirstSimulated : Schedule::kFirst,
        .longest = request_.longest_period};
    schedules_.emplace(plan_, lengths, request_.seed);
    clock_ = make_run_clock(supervisor_, simulation_.get(), schedules_->shrinking_time(),
                            listener_.simulated);
    schedules_->next();
    TACHO_TRY(open_targets());
    const auto refused = targets_->refused(plan_);
    TACHO_TRY(check_that_something_counts(refused));
    whole() = blank_measurement(plan_, refused);
    return {};
  }

  Result<void> watch_targets() {
    for (const pid_t pid : request_.targets.pids) TACHO_TRY(supervisor_.watch(pid));
    for (const pid_t tid : request_.targets.tids) TACHO_TRY(supervisor_.watch_thread(tid));
    return {};
  }

  const std::vector<Schedule::Turn>& turns() const { return schedules_->turns(); }

  nanoseconds period_length() const {
    return turning() ? turns().front().length : request_.longest_period;
  }

  // Describes the run. tacho does this while the workload loads, unless its own work would then be
  // counted.
  void describe() {
    whole().workload.command = request_.launch.argv;
    whole().workload.directory = request_.launch.directory;
    whole().workload.label = label(request_);
    whole().workload.every_cpu = request_.counts_cpus();
    whole().workload.started = now_as_text();
    whole().machine = describe_machine(pmu_, plan_);
    whole().period_ms = 1e3 * in_seconds(request_.longest_period);
    for (std::size_t i = 0; i < measured_.parts.size(); ++i) {
      Measured::Part& part = measured_.parts[i];
      part.measurement = whole();
      part.measurement.workload.label = part.label;
      if (const auto cpu = targets_->targets()[i].cpu())
        mark_elsewhere(part.measurement, plan_, *cpu);
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

  Result<void> open_targets() {
    const Start start = launched() && !request_.delay ? Start::at_exec : Start::stopped;
    const auto found = TACHO_TRY(find_targets(request_, supervisor_.pid()));
    targets_ = TACHO_TRY(RunTargets::open(pmu_, plan_, found, start, turns()));
    if (request_.per_thread || request_.per || !request_.cgroups.empty())
      for (const NamedTarget& each : targets_->targets())
        measured_.parts.push_back(
            {.label = each.name, .measurement = {}, .cpus = each.cpus.size()});
    parts_since_interval_.resize(measured_.parts.size());
    if (request_.counts_cpus() || !request_.cgroups.empty())
      hotplug_.emplace(CpuWatch(), !request_.per, request_.targets.cpus);
    return {};
  }

  bool launched() const { return request_.counts_command(); }
  bool turning() const { return !plan_.sets.empty(); }
  bool has_periods() const { return turning() || listener_.period; }

  Result<void> start() {
    if (!at_exec_ && !request_.delay) TACHO_TRY(targets_->start(turns()));
    begun_ = clock_->now();
    if (!request_.delay) note_turned_on(begun_);
    if (request_.control != nullptr) obey();  // what came before the start
    if (!request_.launch.argv.empty()) {
      TACHO_TRY(release_command(supervisor_, simulation_.get()));
      if (request_.limit) kill_at_ = Clock::now() + *request_.limit;
    }
    const auto now = clock_->now();
    if (request_.interval && !request_.is_switched() && launched() &&
        is_of_kernel(pmu_.capabilities().kind))
      watch_.emplace(supervisor_.pid(), request_.launch);
    const bool waits = request_.delay && *request_.delay != nanoseconds::max();
    const auto counting_begins = waits ? now + *request_.delay : now;
    interval_start_ = waits ? counting_begins : begun_;
    if (waits) turn_on_ = counting_begins;
    if (times_.is_on() && has_periods()) period_end_ = now + period_length();
    if (request_.timeout) stop_ = counting_begins + *request_.timeout;
    if (request_.interval) interval_end_ = counting_begins + *request_.interval;
    if (hotplug_) look_ = now;
    if (const auto within = pmu_.attend_within()) attend_ = now + *within;
    return {};
  }

  void note_turned_on(Clock::time_point now) {
    times_.turn_on(now);
    period_start_ = now;
    if (has_periods()) period_end_ = clock_->now() + period_length();
  }

  // Begins to count, or goes on.
  void turn_on() {
    turn_on_ = Clock::time_point::max();
    if (times_.is_on() || stopped_counting_) return;
    if (times_.was_on()) schedules_->next(clock_->remaining());
    note(targets_->start(turns()));
    note_turned_on(clock_->now());
  }

  void turn_off() {
    if (!times_.is_on()) return;
    const auto now = clock_->now();
    if (has_periods() && now > period_start_) end_period(false);
    period_end_ = Clock::time_point::max();
    note(targets_->stop_always());
    times_.turn_off(now);
  }

  // Ends counting for good. A launched command runs on.
  void stop_counting() {
    turn_off();
    stopped_counting_ = true;
    turn_on_ = interval_end_ = Clock::time_point::max();
    if (request_.launch.argv.empty()) stopped_ = true;
  }

  void stop() {
    if (!stopped_counting_) {
      turn_off();
      const auto now = clock_->now();
      if (request_.interval && interval_start_ < now) end_interval(now, read_always());
      stop_counting();
    }
    stop_ = Clock::time_point::max();
    asked_to_end_ = clock_->now();
    supervisor_.terminate();
  }

  int control_descriptor() const {
    return request_.control == nullptr || simulation_ ? -1 : request_.control->descriptor();
  }

  void obey() {
    request_.control->obey([this](ControlCommand command) {
      if (command == ControlCommand::enable) turn_on();
      if (command == ControlCommand::disable) turn_off();
      if (command == ControlCommand::stop) stop();
    });
  }

  std::optional<Clock::time_point> next_deadline() const {
    const auto next = std::min({period_end_, interval_end_, look_, attend_, turn_on_, stop_});
    if (next == Clock::time_point::max()) return std::nullopt;
    return next;
  }

  // The loop goes on: the workload ends soon.
  void time_out() {
    kill_at_ = Clock::time_point::max();
    whole().workload.timed_out = supervisor_.kill();
  }

  void look_at_cpus() {
    hotplug_->check(targets_->counters());
    look_ = clock_->now() + Hotplug::kEvery;
  }

  // A run of control groups ends with the last of them, as that of a process does.
  void look_at_targets() {
    look_at_cpus();
    const auto removed = [](const NamedCgroup& group) { return was_removed(group.directory); };
    if (request_.launch.argv.empty() && !request_.cgroups.empty() &&
        std::ranges::all_of(request_.cgroups, removed))
      stop();
  }

  void attend() {
    pmu_.attend();
    attend_ = clock_->now() + *pmu_.attend_within();
  }

  // Ends the current period of each lane. With `go_on` it begins the next one.
  void end_period(bool go_on) {
    const auto before = clock_->now();
    const nanoseconds length = before - period_start_;
    auto periods = blank_periods(before);
    const auto ended = turns();
    if (go_on) schedules_->next(clock_->remaining());
    const std::span<TargetCounters> targets = targets_->counters();
    for (std::size_t i = 0; i < targets.size(); ++i) {
      for (std::size_t lane = 0; lane < ended.size(); ++lane)
        if (targets[i].opened(ended[lane].set)) turn_off(i, ended[lane].set, periods[lane]);
      for (const Schedule::Turn& turn : turns())
        if (go_on && targets[i].opened(turn.set)) note(targets[i].turn_on(turn.set));
    }
    const auto after = clock_->now();
    period_start_ = after;
    if (turning()) keep_turn(periods, length, after - before);
    if (listener_.period) tell(periods);
    period_end_ = after + period_length();
  }

  // The period of each lane that ends now; one period if no sets take turns.
  std::vector<Period> blank_periods(Clock::time_point now) const {
    Period period{.start_s = in_seconds(period_start_ - begun_),
                  .duration_s = in_seconds(now - period_start_),
                  .counts = {}};
    std::vector<Period> periods(std::max<std::size_t>(turns().size(), 1), period);
    for (std::size_t lane = 0; lane < turns().size(); ++lane) {
      periods[lane].round = turns()[lane].round;
      periods[lane].set = static_cast<std::uint32_t>(turns()[lane].set);
    }
    return periods;
  }

  void keep_turn(const std::vector<Period>& periods, nanoseconds length, nanoseconds cost) {
    schedules_->turn_took(cost);
    recent_.add(length, cost);
    whole().turning_s += in_seconds(cost);
    for (const Period& period : periods) {
      if (request_.interval) since_interval_.periods.push_back(period);
      add_period(whole(), period);
    }
  }

  // The counts of the events that count all the time go with the period of the first lane.
  void tell(const std::vector<Period>& periods) {
    std::vector<std::uint64_t> gained = values(gained_since(last_period_, read_always()));
    const std::vector<std::uint64_t> all = gained;
    for (const Period& period : periods) {
      const auto reference = turning() ? plan_.lane_of(period.set).reference : plan_.reference;
      const auto slot = reference ? plan_.always_slot(*reference) : std::nullopt;
      listener_.period(whole(), period, gained, slot ? all[*slot] : 0);
      std::ranges::fill(gained, 0);
    }
  }

  void turn_off(std::size_t target, std::size_t set, Period& whole_period) {
    Period counted{.start_s = whole_period.start_s,
                   .duration_s = whole_period.duration_s,
                   .round = whole_period.round,
                   .set = whole_period.set,
                   .counts = {}};
    note(targets_->counters()[target].turn_off(set, counted));
    if (!targets_->targets()[target].in_another) add(whole_period, counted);
    if (measured_.parts.empty()) return;
    if (request_.interval) parts_since_interval_[target].periods.push_back(counted);
    add_period(measured_.parts[target].measurement, std::move(counted), most_periods_of_part());
  }

  // All parts together have about as many periods as the whole, or else a machine with many CPUs
  // would need gigabytes. 4,096 still give the intervals all their degrees of freedom.
  std::size_t most_periods_of_part() const {
    return std::max<std::size_t>(4'096, kMostPeriods / measured_.parts.size());
  }

  // An error while the workload runs must not end the run: the first one becomes a warning.
  void note(const Result<void>& done) {
    if (done || complained_) return;
    complained_ = true;
    whole().warnings.push_back(done.error().what + ": counts are incomplete");
  }

  std::vector<Reading> read_always() {
    std::vector<Reading> sum;
    if (watch_) watch_->before_reading();
    note(targets_->read_always(sum));
    sum.resize(whole().always.size());
    return sum;
  }

  void tell_interval(Clock::time_point now, const std::vector<Reading>& always) {
    const std::span<TargetCounters> targets = targets_->counters();
    Measured slices{.whole = slice_of(whole(), since_interval_, plan_, always, targets),
                    .parts = {}};
    Measurement& slice = slices.whole;
    slice.turning_s -= std::exchange(turned_before_interval_, slice.turning_s);
    if (watch_ && watch_->were_taken_by_now(time_of_task(plan_, always, targets.front().task_ns()),
                                            supervisor_.ending()))
      mark_taken(slice);
    slice.workload.elapsed_s = in_seconds(now - interval_start_);
    const nanoseconds on = times_.until(now);
    if (request_.is_switched())
      slice.workload.counted_s = in_seconds(on - std::exchange(on_before_interval_, on));
    for (std::size_t i = 0; i < measured_.parts.size(); ++i) {
      auto& [label, all, cpus] = measured_.parts[i];
      slices.parts.push_back({label,
                              slice_of(all, parts_since_interval_[i], plan_,
                                       targets_->last_always(i), targets.subspan(i, 1)),
                              cpus});
      share_times(slice, slices.parts.back().measurement);
    }
    listener_.interval(std::move(slices), in_seconds(now - begun_));
  }

  void end_interval(Clock::time_point now, const std::vector<Reading>& always) {
    if (listener_.interval) tell_interval(now, always);
    interval_start_ = now;
    if (++intervals_ == request_.intervals) return stop_counting();
    // Ends of intervals that passed while this interval was read and printed are skipped.
    const auto after = clock_->now();
    if (!request_.interval) return;
    do interval_end_ += *request_.interval;
    while (interval_end_ <= after);
  }

  // A part has the times of the whole.
  static void share_times(const Measurement& all, Measurement& part) {
    part.workload.elapsed_s = all.workload.elapsed_s;
    part.workload.counted_s = all.workload.counted_s;
    part.turning_s = all.turning_s;
  }

  void finish() {
    const auto ended = clock_->now();
    if (hotplug_) look_at_cpus();
    // In simulated time the last period may end at exactly the end of the run.
    if (times_.is_on() && has_periods() && ended > period_start_) end_period(false);
    // One reading for all: then the intervals add up to the whole, and so do the parts.
    std::vector<Reading> always = read_always();
    const bool in_interval = interval_end_ != Clock::time_point::max();
    if (in_interval && ended > interval_start_) end_interval(ended, always);
    Measurement& m = whole();
    m.workload.elapsed_s = in_seconds(ended - begun_);
    if (request_.is_switched()) m.workload.counted_s = in_seconds(times_.until(ended));
    const Ending& ending = supervisor_.ending();
    // The time and memory of a simulator are not those of the workload.
    m.workload.has_usage = ending.has_usage && launched() && !simulation_;
    m.workload.user_s = ending.user_s;
    m.workload.system_s = ending.system_s;
    m.workload.launch_s = ending.launch_s;
    m.workload.max_rss_bytes = ending.max_rss_bytes;
    m.workload.exit_code = ending.exit_code;
    m.workload.signal = ending.signal;
    m.workload.asked_to_end = ending.asked_to_end;
    // The CPU time of a command is also that of what it started.
    if (!request_.alone)
      hold_against_time(m, plan_, always, targets_->counters().front().task_ns());
    fill_totals(m, plan_, always, targets_->counters());
    m.reached_period_ms = 1e3 * recent_.median_length_s();
    m.turn_cost_us = 1e6 * recent_.median_cost_s();
    for (std::size_t i = 0; i < measured_.parts.size(); ++i) {
      Measurement& part = measured_.parts[i].measurement;
      share_times(m, part);
      fill_totals(part, plan_, targets_->last_always(i), targets_->counters().subspan(i, 1));
    }
    if (hotplug_) std::ranges::copy(hotplug_->warnings(), std::back_inserter(m.warnings));
    std::ranges::copy(pmu_.remarks(), std::back_inserter(m.warnings));
    warn_of_long_periods(m);
    // While the command is stopped, no event counts, but time goes on; in a simulation it does not.
    if (launched() && !simulation_) warn_of_stops(m, ending.stopped_s);
    if (request_.is_switched()) warn_of_switch(m, request_);
    if (asked_to_end_ && launched()) warn_of_patience(m, in_seconds(ended - *asked_to_end_));
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
  std::optional<RunTargets> targets_;
  std::optional<Hotplug> hotplug_;    // if every CPU is counted
  std::optional<EventsWatch> watch_;  // if a command is counted in intervals
  std::optional<LaneSchedules> schedules_;
  Clock::time_point begun_;
  Clock::time_point period_start_;
  Clock::time_point interval_start_;
  Clock::time_point period_end_ = Clock::time_point::max();
  Clock::time_point interval_end_ = Clock::time_point::max();
  Clock::time_point look_ = Clock::time_point::max();     // when to look for changed CPUs
  Clock::time_point attend_ = Clock::time_point::max();   // when to call Pmu::attend()
  Clock::time_point kill_at_ = Clock::time_point::max();  // in real time
  CountingTimes times_;
  nanoseconds on_before_interval_{};                      // until the end of the last interval
  Clock::time_point turn_on_ = Clock::time_point::max();  // when the delay is over
  Clock::time_point stop_ = Clock::time_point::max();     // when counting ends for good
  std::optional<Clock::time_point> asked_to_end_;         // the workload, by SIGTERM
  bool stopped_counting_ = false;                         // it did
  bool stopped_ = false;                                  // and so did the run
  std::uint64_t intervals_ = 0;                           // that have ended
  std::vector<Reading> last_period_;  // events counted always, at the end of the last period
  SinceInterval since_interval_;
  std::vector<SinceInterval> parts_since_interval_;
  double turned_before_interval_ = 0;  // time of all turns until the end of the last interval
  RecentTurns recent_;
  bool complained_ = false;
};

}  // namespace

Result<Measured> measure(Pmu& pmu, Supervisor& supervisor, const Plan& plan,
                         const MeasureRequest& request, const Listener& listener) {
  return Run(pmu, supervisor, plan, request, listener)();
}

}  // namespace tacho

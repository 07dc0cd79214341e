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
#include "measure/schedule.hpp"
#include "measure/simulated_launch.hpp"
#include "measure/target_counters.hpp"
#include "pmu/targets.hpp"
#include "stats/merge_rounds.hpp"

namespace tacho {
namespace {

using Clock = Supervisor::Clock;
using std::chrono::nanoseconds;

// Recent turns whose median cost and length the report gives.
constexpr std::size_t kRecent = 4'096;

double in_seconds(nanoseconds time) {
  return static_cast<double>(time.count()) / 1e9;
}

double median(std::vector<nanoseconds> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return in_seconds(*middle);
}

// One run, from opening to the last reading.
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
    if (auto ready = prepare(); !ready) return std::unexpected(ready.error());
    if (!at_exec_) describe();
    if (auto started = start(); !started) return std::unexpected(started.error());
    if (at_exec_) describe();
    while (pace_->wait(next_deadline()) == Wake::deadline) {
      if (pace_->now() >= look_) look_at_cpus();
      if (pace_->now() >= attend_) attend();
      if (pace_->now() >= period_end_) end_period(true);
      if (pace_->now() >= interval_end_) end_interval(pace_->now(), read_always());
    }
    if (auto right = pace_->trouble(); !right) return std::unexpected(right.error());
    finish();
    if (simulation_)
      if (auto concluded = conclude(*simulation_, whole()); !concluded)
        return std::unexpected(concluded.error());
    return std::move(measured_);
  }

 private:
  Measurement& whole() { return measured_.whole; }

  Result<void> prepare() {
    if (request_.command.empty()) {
      if (auto watched = watch(); !watched) return watched;
    } else {
      auto simulation = prepare_command(pmu_, supervisor_, request_, ticking());
      if (!simulation) return std::unexpected(simulation.error());
      simulation_ = std::move(*simulation);
    }
    pace_ = make_run_clock(supervisor_, simulation_.get());

    std::vector<std::size_t> sets(plan_.sets.size());
    for (std::size_t i = 0; i < sets.size(); ++i) sets[i] = i;
    schedule_.emplace(sets, request_.longest_period, request_.seed);
    if (!sets.empty()) turn_ = schedule_->next();
    if (auto opened = open_lanes(); !opened) return opened;

    std::vector<std::optional<Error>> refused = plan_.refused;
    for (const TargetCounters& lane : lanes_)
      for (std::size_t i = 0; i < refused.size(); ++i)
        if (!refused[i]) refused[i] = lane.refused()[i];
    if (auto sense = counts_something(refused); !sense) return sense;
    whole() = blank_measurement(plan_, refused);
    return {};
  }

  // Done while the workload loads, unless what tacho does then is counted with it.
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

  Result<void> watch() { return request_.pid ? supervisor_.watch(*request_.pid) : Result<void>(); }

  // A command runs for its own sake. To watch what runs already makes no sense without a count.
  Result<void> counts_something(const std::vector<std::optional<Error>>& refused) const {
    const auto asked = std::span(refused).first(plan_.asked);
    if (launched() || asked.empty() ||
        !std::ranges::all_of(asked, &std::optional<Error>::has_value))
      return {};
    return failure(fmt::format("nothing that was asked for can be counted of {}: {}",
                               label(request_), asked.front()->what),
                   asked.front()->remedy);
  }

  Result<void> open_lanes() {
    std::vector<std::pair<std::string, Target>> targets;
    if (request_.pid && request_.parted) {
      const auto threads = threads_of(*request_.pid);
      if (!threads) return std::unexpected(threads.error());
      for (const pid_t tid : *threads)
        targets.emplace_back(thread_name(*request_.pid, tid), Thread{tid});
    } else if (request_.pid) {
      targets.emplace_back("", Process{*request_.pid});
    } else if (request_.every_cpu && request_.parted) {
      const auto cpus = places(EveryCpu{}, {});
      if (!cpus) return std::unexpected(cpus.error());
      for (const Place& place : *cpus)
        targets.emplace_back(fmt::format("CPU {}", place.cpu), OneCpu{place.cpu});
    } else if (request_.every_cpu) {
      targets.emplace_back("", EveryCpu{});
    } else {
      targets.emplace_back("", Launched{supervisor_.pid()});
    }
    const Start start = launched() ? Start::at_exec : Start::stopped;
    Error last;
    for (const auto& [name, target] : targets) {
      auto lane = TargetCounters::open(pmu_, plan_, target, start, turn_.set);
      if (!lane) {
        last = lane.error();  // a thread that has ended meanwhile, or a CPU that has gone
        continue;
      }
      lanes_.push_back(std::move(*lane));
      if (request_.parted) measured_.parts.push_back({name, {}});
    }
    if (lanes_.empty()) return std::unexpected(last);
    if (request_.every_cpu) hotplug_.emplace(CpuWatch(), !request_.parted);
    return {};
  }

  static std::string thread_name(pid_t pid, pid_t tid) {
    std::string name = read_file(fmt::format("/proc/{}/task/{}/comm", pid, tid)).value_or("");
    if (name.ends_with('\n')) name.pop_back();  // the kernel's; a name may have others
    return fmt::format("{} ({})", tid, name);
  }

  bool launched() const { return !request_.pid && !request_.every_cpu; }
  bool turning() const { return !plan_.sets.empty(); }
  bool ticking() const { return turning() || listener_.period; }

  Result<void> start() {
    if (!at_exec_) {
      for (TargetCounters& lane : lanes_) {
        if (auto on = lane.start_always(); !on) return on;
        if (turning() && lane.opened(turn_.set))
          if (auto on = lane.turn_on(turn_.set); !on) return on;
      }
    }
    begun_ = pace_->now();
    if (!request_.command.empty())
      if (auto released = release_command(supervisor_, simulation_.get()); !released)
        return released;
    const auto now = pace_->now();
    period_start_ = interval_start_ = begun_;
    if (ticking()) period_end_ = now + (turning() ? turn_.length : request_.longest_period);
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
    hotplug_->check(lanes_);
    look_ = pace_->now() + Hotplug::kEvery;
  }

  void attend() {
    pmu_.attend();
    attend_ = pace_->now() + *pmu_.attend_within();
  }

  // Ends the period that is on and, unless the run is over, begins the next.
  void end_period(bool go_on) {
    const auto before = pace_->now();
    Period period{.start_s = in_seconds(period_start_ - begun_),
                  .duration_s = in_seconds(before - period_start_),
                  .round = turn_.round,
                  .set = static_cast<std::uint32_t>(turn_.set),
                  .counts = {}};
    const std::size_t set = turn_.set;
    if (turning() && go_on) turn_ = schedule_->next();
    for (std::size_t i = 0; i < lanes_.size() && turning(); ++i) {
      if (lanes_[i].opened(set)) turn_off(i, set, period);
      if (go_on && lanes_[i].opened(turn_.set)) note(lanes_[i].turn_on(turn_.set));
    }
    const auto after = pace_->now();
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

  void turn_off(std::size_t lane, std::size_t set, Period& whole_period) {
    Period counted{.start_s = whole_period.start_s,
                   .duration_s = whole_period.duration_s,
                   .round = whole_period.round,
                   .set = whole_period.set,
                   .counts = {}};
    note(lanes_[lane].turn_off(set, counted));
    add(whole_period, counted);
    if (!measured_.parts.empty()) add_period(measured_.parts[lane].measurement, std::move(counted));
  }

  // What goes wrong while the workload runs must not end it: it is said once, at the end.
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
    lanes_read_.resize(lanes_.size());
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      note(lanes_[i].read_always(lanes_read_[i]));
      add(sum, lanes_read_[i]);
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
    // Those that passed while this one was read and printed are left out.
    const auto after = pace_->now();
    if (request_.interval) do
        interval_end_ += *request_.interval;
      while (interval_end_ <= after);
  }

  Measurement whole_without_periods() {
    std::vector<Period> kept = std::exchange(whole().periods, {});
    Measurement copy = whole();
    whole().periods = std::move(kept);
    return copy;
  }

  void finish() {
    const auto ended = pace_->now();
    if (hotplug_) look_at_cpus();
    // Simulated time can end with them to the nanosecond.
    if (ticking() && ended > period_start_) end_period(false);
    // One reading, so that the intervals add up to the whole, and the parts do.
    const std::vector<Reading> always = read_always();
    if (request_.interval && ended > interval_start_) end_interval(ended, always);
    Measurement& m = whole();
    fill_totals(m, plan_, always);
    m.workload.elapsed_s = in_seconds(ended - begun_);
    const Ending& ending = supervisor_.ending();
    // A simulator's time and memory are not the workload's.
    m.workload.has_usage = ending.has_usage && launched() && !simulation_;
    m.workload.user_s = ending.user_s;
    m.workload.system_s = ending.system_s;
    m.workload.max_rss_bytes = ending.max_rss_bytes;
    m.workload.exit_code = ending.exit_code;
    m.workload.signal = ending.signal;
    m.reached_period_ms = 1e3 * median(lengths_);
    m.turn_cost_us = 1e6 * median(costs_);
    for (std::size_t i = 0; i < measured_.parts.size(); ++i) {
      Measurement& part = measured_.parts[i].measurement;
      part.workload.elapsed_s = m.workload.elapsed_s;
      part.turning_s = m.turning_s;
      fill_totals(part, plan_, lanes_read_[i]);
    }
    if (hotplug_) std::ranges::copy(hotplug_->warnings(), std::back_inserter(m.warnings));
    std::ranges::copy(pmu_.remarks(), std::back_inserter(m.warnings));
    warn_of_long_periods();
    warn_of_stops();
    warn_of_restriction(m, pmu_.capabilities().restriction);
  }

  void warn_of_long_periods() {
    Measurement& m = whole();
    if (m.reached_period_ms > 1.5 * m.period_ms)
      m.warnings.push_back(
          fmt::format("periods were {:.0f} ms instead of {:g} ms: turning the sets cost {:.0f} µs, "
                      "and the CPUs were busy",
                      m.reached_period_ms, m.period_ms, m.turn_cost_us));
  }

  // No event counts then, but time goes on. A simulation's does not.
  void warn_of_stops() {
    constexpr double kNotice = 0.01;
    Measurement& m = whole();
    const double stopped = supervisor_.ending().stopped_s;
    if (launched() && !simulation_ && stopped > kNotice * m.workload.elapsed_s)
      m.warnings.push_back(fmt::format(
          "the command was stopped, as by Ctrl-Z, for {:.3g} s of the {:.3g} s elapsed: "
          "rates a second and CPUs used are of both together",
          stopped, m.workload.elapsed_s));
  }

  Pmu& pmu_;
  Supervisor& supervisor_;
  const Plan& plan_;
  const MeasureRequest& request_;
  const Listener& listener_;
  const bool at_exec_;                      // counting begins at the workload's exec, by itself
  std::unique_ptr<Simulation> simulation_;  // where the PMU runs the command itself
  std::unique_ptr<RunClock> pace_;

  Measured measured_;
  std::vector<TargetCounters> lanes_;
  std::vector<std::vector<Reading>> lanes_read_;  // what counts always in each, as read last
  std::optional<Hotplug> hotplug_;                // of every CPU
  std::optional<Schedule> schedule_;
  Schedule::Turn turn_;
  Clock::time_point begun_;
  Clock::time_point period_start_;
  Clock::time_point interval_start_;
  Clock::time_point period_end_ = Clock::time_point::max();
  Clock::time_point interval_end_ = Clock::time_point::max();
  Clock::time_point look_ = Clock::time_point::max();    // when to look for CPUs that went or came
  Clock::time_point attend_ = Clock::time_point::max();  // when the PMU's counters want attention
  std::vector<Period> interval_periods_;
  std::vector<Reading> last_period_;    // what counts always, at the last period's end
  std::vector<Reading> last_interval_;  // and at the last interval's
  double turned_before_interval_ = 0;   // what turning took up to there
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

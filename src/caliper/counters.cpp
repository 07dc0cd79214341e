// tacho::Counters: the counters that a program opens itself (include/tacho/counters.hpp).
#include "tacho/counters.hpp"

#include <algorithm>
#include <cerrno>
#include <random>

#include "caliper/counting_plan.hpp"
#include "caliper/live_counters.hpp"
#include "caliper/owner.hpp"
#include "caliper/plan_counting.hpp"
#include "caliper/turns.hpp"

namespace tacho {

using caliper::CountingPlan;
using caliper::LiveCounters;
using caliper::Owner;
using caliper::Snapshot;
using caliper::TurnSeries;

class Counters::State {
 public:
  explicit State(CountingPlan plan)
      : counting(std::move(plan)),
        live(counting, std::random_device()()),
        pages(live.pages_of_all()),
        series(live.takes_turns() ? counting.requested : 0) {
    reset();
  }
  ~State() {
    if (!owner.in_its_process()) live.forget_pages();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Counters::read() for all cases but the fast one.
  [[gnu::noinline]] bool read_slowly(std::uint64_t* values) noexcept {
    if (live.has_one_group()) return live.read_plainly(values);
    Snapshot now;
    if (!read(now)) return false;
    for (std::size_t event = 0; event < counting.requested; ++event)
      if (!live.refused()[event]) values[event] = now.values[event];
    return true;
  }

  // Makes a turn if one is due. The counts up to the turn belong to the round of the old set.
  bool read(Snapshot& now) noexcept {
    if (!owner.is_calling()) return false;
    if (!live.turn_is_due()) return live.read(now);
    if (!live.read(now)) return false;
    add_to_series(now);
    live.turn();
    if (!live.read(now)) return false;
    added_until = now;
    return true;
  }

  // Adds what the active set has counted since the last call to the series of its events.
  void add_to_series(const Snapshot& now) noexcept {
    const std::size_t set = live.active_set();
    const std::uint64_t covered = now.covered[set] - added_until.covered[set];
    for (const std::size_t event : counting.sets[set]) {
      if (event >= counting.requested) continue;
      while (!series[event].has_place(live.round())) series[event].fold();
      series[event].add(live.round(), covered, now.values[event] - added_until.values[event]);
    }
    added_until = now;
  }

  void reset() noexcept {
    for (TurnSeries& each : series) each.clear();
    start_times = live.always_times();  // first, so that its system call is not counted
    start_on_cores.assign(counting.parts.size(), {});
    for (std::size_t event = 0; event < counting.parts.size(); ++event)
      if (counting.is_of_cores(event)) start_on_cores[event] = live.times_on_cores(event);
    if (!live.read(added_until)) added_until = {};
    start = added_until;
  }

  // The part of the time since the last reset during which the events that take no turns had their
  // counters.
  double share() const noexcept {
    const SelfGroup::Times now = live.always_times();
    if (now.enabled_ns <= start_times.enabled_ns) return 0;
    return static_cast<double>(now.running_ns - start_times.running_ns) /
           static_cast<double>(now.enabled_ns - start_times.enabled_ns);
  }

  // The part of the time since the last reset during which the thread was on the cores of the
  // event's PMUs, and had counters there.
  double share_of_cores(std::size_t event) const noexcept {
    const SelfGroup::Times now = live.times_on_cores(event);
    const SelfGroup::Times& then = start_on_cores[event];
    if (now.enabled_ns <= then.enabled_ns) return 0;
    const double part = static_cast<double>(now.running_ns - then.running_ns) /
                        static_cast<double>(now.enabled_ns - then.enabled_ns);
    return std::min(part, 1.0);
  }

  // Of an event of unequal cores. What it does not count on other cores is not lost.
  Count count_on_cores(std::size_t event, double gained, bool lost) const {
    Count count;
    const bool is_sum = !counting.parts[event].empty();
    const double part = is_sum && !lost ? 1 : share_of_cores(event);
    if (part == 0 && gained == 0) {
      count.error = Error{"the thread was not on its cores yet, or it had no counter there",
                          "leave the PMU out of its name to count it on all cores", 0};
      return count;
    }
    const bool whole = !is_sum || !lost;
    count.status = whole ? CountStatus::counted : CountStatus::estimated;
    count.value = whole ? gained : gained / part;
    count.has_interval = whole;
    count.share = part;
    return count;
  }

  Count count(std::size_t event, const Snapshot& now) const {
    Count count;
    const double scale = counting.events[event].scale;
    if (const auto& refused = live.refused()[event]) {
      count.error = *refused;
      return count;
    }
    const auto gained = static_cast<double>(now.values[event] - start.values[event]);
    if (counting.is_of_cores(event)) {
      count = count_on_cores(event, gained, now.lost_ns != start.lost_ns);
    } else if (live.takes_turns() && counting.set_of[event]) {
      std::vector<Period> periods;
      series[event].add_to(periods);
      const std::uint64_t whole = now.reference - start.reference;
      std::uint64_t covered = 0;
      for (std::size_t set = 0; set < counting.sets.size(); ++set)
        covered += now.covered[set] - start.covered[set];
      count = caliper::estimate(std::move(periods), whole, whole - std::min(whole, covered));
      if (count.status == CountStatus::unavailable)
        count.error = Error{"it has had no turn yet", "", 0};
    } else if (now.lost_ns == start.lost_ns && now.sets_lost_ns == start.sets_lost_ns) {
      count.status = CountStatus::counted;
      count.value = gained;
      count.has_interval = true;
      count.share = 1;
    } else if (const double part = share(); part > 0) {
      // Another user held the counters. There are no turns from which an interval could be
      // estimated.
      count.status = CountStatus::estimated;
      count.value = gained / part;
      count.share = part;
    } else {
      count.error = Error{"it had no counter yet", "end other users of the PMU", 0};
    }
    count.value *= scale;
    count.half_width95 *= scale;
    return count;
  }

  const Owner owner;
  const CountingPlan counting;
  LiveCounters live;
  const std::span<const SelfGroup::Page> pages;  // for the fast path; empty if it does not work
  std::uint64_t retries = 0;
  std::vector<TurnSeries> series;  // by event, if events take turns
  Snapshot added_until;            // the last snapshot that was added to the series
  Snapshot start;                  // at open() or the last reset()
  SelfGroup::Times start_times;
  std::vector<SelfGroup::Times> start_on_cores;  // by requested event, on unequal cores
};

Counters::Counters(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Counters::Counters(Counters&&) noexcept = default;
Counters& Counters::operator=(Counters&&) noexcept = default;
Counters::~Counters() = default;

Counters Counters::open(const std::vector<std::string>& events, CountScope scope) {
  return Counters(std::make_unique<State>(caliper::plan_counting(events, scope)));
}

std::size_t Counters::size() const noexcept {
  return state_->counting.requested;
}

const std::string& Counters::name(std::size_t event) const noexcept {
  return state_->counting.events[event].name;
}

const std::string& Counters::unit(std::size_t event) const noexcept {
  return state_->counting.events[event].unit;
}

const Error* Counters::error(std::size_t event) const noexcept {
  const auto& refused = state_->live.refused()[event];
  return refused ? &*refused : nullptr;
}

// Every instruction counts here, so the other read methods are in a function of their own.
bool Counters::read(std::uint64_t* values) noexcept {
  State& state = *state_;
  if (!state.owner.is_calling()) [[unlikely]]
    return false;
  if (!state.pages.empty() && SelfGroup::read_pages(state.pages, values, state.retries)) [[likely]]
    return true;
  return state.read_slowly(values);
}

bool Counters::is_multiplexed() const noexcept {
  return state_->live.takes_turns();
}

std::vector<Count> Counters::counts() {
  std::vector<Count> counts(size());
  Snapshot now;
  const bool readable = state_->read(now);
  const bool own = state_->owner.is_calling();
  const auto doubt = own ? state_->live.doubt() : std::nullopt;
  if (!readable || doubt) {
    const Error why = own ? doubt.value_or(Error{"the kernel gave no counts", "", 0})
                          : Error{"read by another thread than opened them, or after a fork",
                                  "open counters in each thread and process", EPERM};
    for (std::size_t event = 0; event < size(); ++event)
      counts[event].error = state_->live.refused()[event].value_or(why);
    return counts;
  }
  if (is_multiplexed()) state_->add_to_series(now);
  for (std::size_t event = 0; event < size(); ++event) counts[event] = state_->count(event, now);
  return counts;
}

void Counters::reset() noexcept {
  if (state_->owner.is_calling()) state_->reset();
}

ReadMethod Counters::read_method() const noexcept {
  return state_->counting.read_method();
}

std::string Counters::explain() const {
  return state_->counting.explanation;
}

}  // namespace tacho

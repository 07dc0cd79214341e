#include "wall/report/summarize_wall.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

#include "perfdata/format_constants.hpp"
#include "wall/report/sampled_lengths.hpp"
#include "wall/report/wake_summary.hpp"
#include "wall/report/wall_choice.hpp"
#include "wall/report/wall_functions.hpp"
#include "wall/report/wall_history.hpp"
#include "wall/report/wall_places.hpp"
#include "wall/thread_finder.hpp"
#include "wall/wall_reader.hpp"

namespace tacho {
namespace {

constexpr std::size_t kLongestOfThread = 3;

// How long the thread ran and waited after this time, without the time in which it was ready.
std::uint64_t went_on_after(std::uint64_t time, const ThreadTimes& thread,
                            std::span<const TimeOff> absences) {
  std::uint64_t went_on = thread.end_ns - std::min(thread.end_ns, time);
  for (const TimeOff& off : absences) {
    if (off.tid != thread.tid) continue;
    const std::uint64_t ready =
        off.state == ThreadState::ready ? off.begin_ns : off.woken_or_end_ns();
    went_on -= std::min(went_on, off.end_ns - std::min(off.end_ns, std::max(time, ready)));
  }
  return went_on;
}

// The thread whose end the critical path explains: of the chosen ones, that which ended last; of
// all, the first one, unless the last of its process goes on after it. When a process ends, some of
// its threads end later: each needs a CPU for it.
std::optional<std::size_t> last_thread(std::span<const ThreadTimes> threads,
                                       std::span<const TimeOff> absences,
                                       const std::vector<bool>& chosen, bool are_all) {
  constexpr std::uint64_t kLittle = 10'000'000;  // ns
  std::optional<std::size_t> first, last;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (!chosen[i]) continue;
    if (!first) first = i;
    const bool counts = !are_all || threads[i].pid == threads[*first].pid;
    if (counts && (!last || threads[i].end_ns > threads[*last].end_ns)) last = i;
  }
  if (!last || !are_all) return last;
  return went_on_after(threads[*first].end_ns, threads[*last], absences) > kLittle ? last : first;
}

// With the names that no record of the thread's own told.
std::vector<ThreadTimes> named(std::vector<ThreadTimes> threads, const Profile& profile) {
  for (ThreadTimes& thread : threads)
    if (thread.name.empty()) thread.name = profile.name_of(thread.tid);
  return threads;
}

class WallSummarizer {
 public:
  WallSummarizer(const RecordedProfile& recorded, Resolver& resolver, const WaitReasons& reasons)
      : states_(wall_reader(*recorded.reader).states()),
        cpu_time_ns_(recorded.description().cpu_time_ns),
        threads_(named(states_.threads(), recorded.profile)),
        resolver_(resolver),
        choice_(recorded.choice),
        places_(recorded, resolver, reasons),
        history_{.profile = recorded.profile,
                 .reader = wall_reader(*recorded.reader),
                 .choice = choice_,
                 .places = places_,
                 .scales = wall_scales(wall_reader(*recorded.reader)),
                 .threads = ThreadFinder(threads_)} {
    const WallReader& reader = history_.reader;
    summary_.command = recorded.description().command;
    summary_.target = recorded_target(
        summary_.command, [&](std::int32_t tid) { return recorded.profile.name_of(tid); });
    summary_.chosen = recorded.chosen;
    summary_.tells_wakes = reader.tells_wakes();
    summary_.has_unread_wakes = std::ranges::any_of(
        recorded.description().events, [](const perfdata::RecordedEvent& event) {
          return event.type == perfdata::format::kTracepointType && event.format.empty();
        });
    summary_.begin_ns = states_.begin_ns().value_or(0);
    const bool follows_threads =
        std::ranges::any_of(recorded.description().events, &perfdata::RecordedEvent::inherited);
    // Of a control group, there are the wake-ups by its own threads.
    summary_.tells_others_wakes = reader.tells_others_wakes() && !summary_.target.of_group;
    for (const ThreadTimes& thread : threads_) history_.chosen.push_back(choice_.has(thread));
    history_.absences = explained(reader, places_);
    history_.levels = running_levels(threads_, history_.absences);
    if (const auto last =
            last_thread(threads_, history_.absences, history_.chosen, !choice_.is_of_threads());
        last && summary_.tells_wakes && follows_threads)
      history_.path = critical_path(threads_, history_.absences, *last);
  }

  WallSummary operator()() {
    take_span();
    take_threads();
    if (summary_.tells_wakes) summary_.wake_ups = summarize_wake_ups(history_);
    if (!history_.path.empty()) summary_.path = summarize_path(history_);
    take_absences();  // now all places are known: the path may go through threads not chosen
    take_late();
    summary_.functions =
        wall_functions(history_, resolver_, summary_.all.running_ns, ready_, waiting_);
    if (const auto event = places_.running())
      summary_.running_samples = history_.profile.total(*event).samples;
    summary_.has_running_samples = summary_.running_samples > 0;
    take_recorders_work();
    sort();
    return std::move(summary_);
  }

 private:
  void take_span() {
    const std::uint64_t end_ns = states_.end_ns().value_or(0);
    for (const TimeSpan& part : choice_.parts(summary_.begin_ns, end_ns)) {
      summary_.span_ns += part.length_ns();
      add_time_by_level(history_.levels, part.begin_ns, part.end_ns, summary_.time_at);
    }
  }

  // The threads with the chosen part of their lives. What they did is not yet known: they ran.
  void take_threads() {
    std::vector<std::optional<std::size_t>> numbers(threads_.size());  // in summary_.threads
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      const ThreadTimes& thread = threads_[i];
      const auto life_ns = choice_.within(thread.begin_ns, thread.end_ns);
      if (!life_ns || !history_.chosen[i]) continue;
      numbers[i] = summary_.threads.size();
      ThreadTimes times{.pid = thread.pid, .tid = thread.tid, .begin_ns = thread.begin_ns};
      times.end_ns = times.begin_ns + *life_ns;
      times.running_ns = *life_ns;
      summary_.threads.push_back({times, thread.name, {}});
    }
    for (const TimeOff& off : history_.absences)
      if (const auto thread = history_.thread_of(off); thread && numbers[*thread])
        take_absence(off, summary_.threads[*numbers[*thread]]);
    ThreadTimes& all = summary_.all;
    for (const WallThread& thread : summary_.threads) {
      all.running_ns += thread.times.running_ns;
      all.ready_ns += thread.times.ready_ns;
      all.waiting_ns += thread.times.waiting_ns;
      all.unknown_ns += thread.times.unknown_ns;
      all.end_ns += thread.times.life_ns();
    }
    ready_.all_ns = all.ready_ns;
    waiting_.all_ns = all.waiting_ns;
  }

  void take_absence(const TimeOff& off, WallThread& thread) {
    const std::uint64_t woken = off.woken_or_end_ns();
    const auto length_ns = choice_.within(off.begin_ns, woken);
    const auto after_ns = choice_.within(woken, off.end_ns).value_or(0);
    if (off.woken_ns && choice_.within(woken, off.end_ns)) ++ready_.all_times;
    ThreadTimes& times = thread.times;
    times.ready_ns += after_ns;
    times.running_ns -= std::min(times.running_ns, length_ns.value_or(0) + after_ns);
    if (!length_ns) return;
    if (off.state == ThreadState::waiting) ++waiting_.all_times;
    if (off.state == ThreadState::ready) ++ready_.all_times;
    (off.state == ThreadState::waiting ? times.waiting_ns
     : off.state == ThreadState::ready ? times.ready_ns
                                       : times.unknown_ns) += *length_ns;
    const std::vector<TimeSpan> parts = choice_.parts(off.begin_ns, woken);
    if (off.state == ThreadState::waiting && !parts.empty())
      note_long(thread.longest, {parts.front().begin_ns - summary_.begin_ns, *length_ns,
                                 places_.place_of(off, false)});
  }

  void take_absences() {
    std::vector<AbsenceSum> of_places;
    const auto add = [&](std::size_t place, std::optional<std::uint64_t> length_ns, double weight,
                         std::uint64_t window) {
      if (!length_ns) return;
      of_places.resize(places_.places().size());
      of_places[place].add(*length_ns, weight, window);
      const bool ready = places_.reasons()[places_.places()[place].reason].ready;
      (ready ? ready_ : waiting_).sampled.add(*length_ns, weight, window);
    };
    const auto add_unknown = [&](bool ready, std::optional<std::uint64_t> length_ns,
                                 std::uint64_t window) {
      add(places_.unknown_place(ready), length_ns, 1, window);
      (ready ? ready_ : waiting_).lost_ns += length_ns.value_or(0);
    };
    for (const TimeOff& off : history_.absences) {
      if (off.state == ThreadState::unknown || !history_.thread_of(off)) continue;
      const std::uint64_t window = window_of(off.begin_ns);
      const std::uint64_t woken = off.woken_or_end_ns();
      const auto add_part = [&](PartOff part, const std::optional<std::uint64_t>& length_ns) {
        if (const auto place = places_.place_of(off, part == PartOff::woken))
          add(*place, length_ns, history_.weight_of(off, part), window);
        else if (history_.scales.waits.is_alone(off, part))
          add_unknown(part == PartOff::woken || off.state == ThreadState::ready, length_ns, window);
      };
      add_part(PartOff::first, choice_.within(off.begin_ns, woken));
      if (off.woken_ns) add_part(PartOff::woken, choice_.within(woken, off.end_ns));
    }
    // Nothing of the choice has a sample.
    for (const bool ready : {false, true}) {
      const StateSum& state = ready ? ready_ : waiting_;
      if (const double rest = state.unsampled().ns; rest > 0 && state.sampled.some_ns() == 0)
        add_unknown(ready, static_cast<std::uint64_t>(rest), 0);
    }
    summary_.lost_ns = waiting_.lost_ns;
    summary_.has_switch_samples = std::ranges::any_of(
        history_.absences, [](const TimeOff& off) { return off.by_switch && off.sampled; });
    of_places.resize(places_.places().size());
    summary_.reasons = places_.reasons();
    summary_.places = places_.places();
    std::vector<AbsenceSum> of_reasons(summary_.reasons.size());
    // Waits for which no sampled one stands may belong to each of the others.
    const auto estimate = [&](const AbsenceSum& lengths, const WaitByReason& of) {
      if (of.reason.name == kUnknownReason) return lengths.sum();
      const StateSum& state = of.ready ? ready_ : waiting_;
      WaitSum sum = lengths.sum(state.unsampled(), state.sampled);
      sum.high_ns += static_cast<double>(state.lost_ns);
      return sum;
    };
    for (std::size_t i = 0; i < of_places.size(); ++i) {
      WaitPlace& place = summary_.places[i];
      of_reasons[place.reason] += of_places[i];
      place.sum = estimate(of_places[i], summary_.reasons[place.reason]);
    }
    for (std::size_t i = 0; i < of_reasons.size(); ++i)
      summary_.reasons[i].sum = estimate(of_reasons[i], summary_.reasons[i]);
  }

  void take_recorders_work() {
    for (const TimeOff& off : history_.absences)
      if (off.by_switch && history_.thread_of(off)) ++summary_.switches;
    if (cpu_time_ns_ && !summary_.chosen && summary_.all.unknown_ns == 0 &&
        *cpu_time_ns_ >= summary_.all.running_ns)
      summary_.recorder_ns = *cpu_time_ns_ - summary_.all.running_ns;
  }

  // Where only some wake-ups were sampled: the part of the waiting that came after them.
  void take_late() {
    AbsenceSum late;
    double of_all_ns = 0;  // also in what was not chosen: the path goes through it
    for (const TimedSample& sample : history_.profile.samples()) {
      if (places_.wall_event(sample.event) != WallEvent::late) continue;
      const double weight = history_.reader.switch_weights().at(sample.time_ns);
      of_all_ns += weight * static_cast<double>(sample.period);
      const auto chosen = choice_.within(sample.time_ns, sample.time_ns + sample.period);
      const auto thread = history_.threads.find(sample.tid, sample.time_ns);
      if (chosen && thread && history_.chosen[*thread])
        late.add(*chosen, weight, window_of(sample.time_ns));
    }
    constexpr double kLittle = 0.01;
    if (summary_.path && of_all_ns > kLittle * static_cast<double>(summary_.path->total_ns))
      doubt(*summary_.path);
    if (late.some_ns() <= 0) return;
    WaitSum& woken = summary_.woken_within.emplace(late.sum());
    for (double* each : {&woken.total_ns, &woken.low_ns, &woken.high_ns})
      *each = std::min(*each, static_cast<double>(summary_.all.waiting_ns));
  }

  static void doubt(CriticalPath& path) {
    path.is_certain = false;
    for (PathPart& part : path.parts) {
      part.sum.low_ns = 0;
      part.sum.high_ns = static_cast<double>(path.total_ns);
    }
  }

  static void note_long(std::vector<LongWait>& longest, const LongWait& wait) {
    if (longest.size() == kLongestOfThread && longest.back().length_ns >= wait.length_ns) return;
    const auto at = std::ranges::upper_bound(longest, wait.length_ns, std::ranges::greater(),
                                             &LongWait::length_ns);
    longest.insert(at, wait);
    if (longest.size() > kLongestOfThread) longest.pop_back();
  }

  // Puts the longest first, and keeps what refers to the others by number right.
  void sort() {
    std::ranges::stable_sort(summary_.functions, std::ranges::greater(), &WallFunction::wall_ns);
    const auto reordered = [](auto& values) {
      std::vector<std::size_t> order(values.size()), now(values.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::ranges::stable_sort(order, std::ranges::greater(),
                               [&](std::size_t i) { return values[i].sum.total_ns; });
      auto old = std::exchange(values, {});
      for (std::size_t i = 0; i < order.size(); ++i) {
        now[order[i]] = i;
        values.push_back(std::move(old[order[i]]));
      }
      return now;
    };
    const std::vector<std::size_t> reason_now = reordered(summary_.reasons);
    const std::vector<std::size_t> place_now = reordered(summary_.places);
    for (WaitPlace& place : summary_.places) place.reason = reason_now[place.reason];
    for (WallFunction& row : summary_.functions)
      if (row.reason != kNoReason) row.reason = reason_now[row.reason];
    for (WallThread& thread : summary_.threads)
      for (LongWait& wait : thread.longest)
        if (wait.place) wait.place = place_now[*wait.place];
    for (WakeUps& each : summary_.wake_ups)
      if (each.place) each.place = place_now[*each.place];
    std::ranges::stable_sort(summary_.wake_ups, std::ranges::greater(),
                             [](const WakeUps& each) { return each.waited.total_ns; });
    if (!summary_.path) return;
    for (PathPart& part : summary_.path->parts)
      if (part.place) part.place = place_now[*part.place];
    std::ranges::stable_sort(summary_.path->parts, std::ranges::greater(),
                             [](const PathPart& part) { return part.sum.total_ns; });
  }

  const ThreadStates& states_;
  perfdata::OptionalU64 cpu_time_ns_;
  std::vector<ThreadTimes> threads_;
  Resolver& resolver_;
  WallChoice choice_;
  WallPlaces places_;
  WallHistory history_;
  StateSum ready_, waiting_;
  WallSummary summary_;
};

}  // namespace

WallSummary summarize_wall(const RecordedProfile& recorded, Resolver& resolver,
                           const WaitReasons& reasons) {
  return WallSummarizer(recorded, resolver, reasons)();
}

}  // namespace tacho

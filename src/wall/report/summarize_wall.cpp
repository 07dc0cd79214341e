#include "wall/report/summarize_wall.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "wall/critical_path.hpp"
#include "wall/report/sampled_lengths.hpp"
#include "wall/report/wake_summary.hpp"
#include "wall/report/wall_places.hpp"
#include "wall/wall_reader.hpp"

namespace tacho {
namespace {

constexpr std::size_t kLongestOfThread = 3;

class WallSummarizer {
 public:
  WallSummarizer(const RecordedProfile& recorded, Resolver& resolver, const WaitReasons& reasons)
      : profile_(recorded.profile),
        reader_(wall_reader(*recorded.reader)),
        states_(reader_.states()),
        resolver_(resolver),
        places_(recorded, resolver, reasons) {
    summary_.command = recorded.description().command;
    summary_.tells_wakes = reader_.tells_wakes();
    follows_threads_ =
        std::ranges::any_of(recorded.description().events, &perfdata::RecordedEvent::inherited);
  }

  WallSummary operator()(const std::vector<bool>& alone) {
    summary_.begin_ns = states_.begin_ns().value_or(0);
    summary_.span_ns = states_.end_ns().value_or(0) - summary_.begin_ns;
    summary_.time_at = states_.time_at();
    take_threads();
    take_absences();
    if (summary_.tells_wakes) {
      absences_ = explained(reader_, places_);
      summary_.wake_ups = summarize_wake_ups(profile_, reader_, absences_, places_);
    }
    take_path();
    take_functions(alone);
    sort();
    return std::move(summary_);
  }

 private:
  void take_threads() {
    for (const ThreadTimes& times : states_.threads()) {
      ThreadTimes& all = summary_.all;
      all.running_ns += times.running_ns;
      all.ready_ns += times.ready_ns;
      all.waiting_ns += times.waiting_ns;
      all.unknown_ns += times.unknown_ns;
      all.end_ns += times.life_ns();
      by_tid_[times.tid] = summary_.threads.size();
      summary_.threads.push_back({times, profile_.name_of(times.tid), {}});
    }
  }

  void take_absences() {
    std::vector<AbsenceSum> of_places;
    const auto add = [&](std::size_t place, std::uint64_t length_ns, double weight,
                         std::uint64_t window) {
      of_places.resize(places_.places().size());
      of_places[place].add(length_ns, weight, window);
      const bool ready = places_.reasons()[places_.places()[place].reason].ready;
      (ready ? ready_ : waiting_).add(length_ns, weight, window);
    };
    for (const TimeOff& off : reader_.absences()) {
      if (off.state == ThreadState::unknown) continue;
      const double weight = weight_of(off, reader_);
      const std::uint64_t window = window_of(off.begin_ns);
      const auto place = places_.place_of(off, false);
      const std::uint64_t woken = off.woken_or_end_ns();
      if (const auto thread = by_tid_.find(off.tid);
          off.state == ThreadState::waiting && thread != by_tid_.end())
        note_long(summary_.threads[thread->second].longest,
                  {off.begin_ns - summary_.begin_ns, woken - off.begin_ns, place});
      if (!place) continue;  // others stand for it
      add(*place, woken - off.begin_ns, weight, window);
      if (off.woken_ns) add(*places_.place_of(off, true), off.end_ns - woken, weight, window);
    }
    summary_.reasons = places_.reasons();
    summary_.places = places_.places();
    std::vector<AbsenceSum> of_reasons(summary_.reasons.size());
    for (std::size_t i = 0; i < of_places.size(); ++i) {
      WaitPlace& place = summary_.places[i];
      of_reasons[place.reason] += of_places[i];
      place.sum = estimate(of_places[i], summary_.reasons[place.reason].ready);
    }
    for (std::size_t i = 0; i < of_reasons.size(); ++i)
      summary_.reasons[i].sum = estimate(of_reasons[i], summary_.reasons[i].ready);
    AbsenceSum late;
    for (const TimedSample& sample : profile_.samples())
      if (places_.wall_event(sample.event) == WallEvent::late) {
        const double weight = reader_.weight_at(sample.time_ns);
        late.add(static_cast<std::uint64_t>(static_cast<double>(sample.period) / weight), weight,
                 window_of(sample.time_ns));
      }
    if (late.some_ns() <= 0) return;
    WaitSum& woken = summary_.woken_within.emplace(late.sum());
    for (double* each : {&woken.total_ns, &woken.low_ns, &woken.high_ns})
      *each = std::min(*each, static_cast<double>(summary_.all.waiting_ns));
  }

  void take_path() {
    if (!summary_.tells_wakes || !follows_threads_ || states_.threads().empty()) return;
    path_ = critical_path(states_.threads(), absences_, last_of_first_process());
    summary_.path = summarize_path(path_, profile_, reader_, absences_, places_);
  }

  // The first thread, unless others of its process go on for long after it: when a process ends,
  // some of its threads end a little later.
  std::size_t last_of_first_process() const {
    constexpr std::uint64_t kLittle = 10'000'000;  // ns
    const std::vector<ThreadTimes>& threads = states_.threads();
    std::size_t last = 0;
    for (std::size_t i = 0; i < threads.size(); ++i)
      if (threads[i].pid == threads[0].pid && threads[i].end_ns > threads[last].end_ns) last = i;
    return threads[last].end_ns - threads[0].end_ns > kLittle ? last : 0;
  }

  // How much a nanosecond that the sampled times off the CPU on the path stand for is of all of
  // them, by state: their sum is known.
  std::map<ThreadState, double> path_scales() const {
    std::map<ThreadState, double> all, sampled;
    for (const PathStep& step : path_) {
      if (step.state == ThreadState::running) continue;
      const TimeOff& off = absences_[step.absence];
      const double weight = weight_of(off, reader_);
      if (weight == 1) continue;
      const auto length = static_cast<double>(step.length_ns());
      all[step.state] += length;
      if (places_.node_of(off)) sampled[step.state] += length * weight;
    }
    for (auto& [state, sum] : all) sum = sampled[state] == 0 ? 0 : sum / sampled[state];
    return all;
  }

  // The step of the critical path at this time, if it is in this thread.
  const PathStep* step_at(std::uint64_t time_ns, std::int32_t tid) const {
    const auto after = std::ranges::upper_bound(path_, time_ns, {}, &PathStep::begin_ns);
    if (after == path_.begin()) return nullptr;
    const PathStep& step = *(after - 1);
    return step.tid == tid && time_ns < step.end_ns ? &step : nullptr;
  }

  // The time in a state of the switches of which only some were sampled. Its sum is known, because
  // all switches are.
  double unsampled_ns(bool ready) const {
    const std::uint64_t all = ready ? summary_.all.ready_ns : summary_.all.waiting_ns;
    return static_cast<double>(all - std::min(all, (ready ? ready_ : waiting_).exact_ns()));
  }

  // How much of it a nanosecond stands for that the sampled ones stand for.
  double scale(bool ready) const {
    const double sampled = (ready ? ready_ : waiting_).some_ns();
    return sampled == 0 ? 0 : unsampled_ns(ready) / sampled;
  }

  WaitSum estimate(const AbsenceSum& sum, bool ready) const {
    return sum.sum(unsampled_ns(ready), ready ? ready_ : waiting_);
  }

  static void note_long(std::vector<LongWait>& longest, const LongWait& wait) {
    if (longest.size() == kLongestOfThread && longest.back().length_ns >= wait.length_ns) return;
    const auto at = std::ranges::upper_bound(longest, wait.length_ns, std::ranges::greater(),
                                             &LongWait::length_ns);
    longest.insert(at, wait);
    if (longest.size() > kLongestOfThread) longest.pop_back();
  }

  // The times of each function with all that it called.
  struct Inclusive {
    SampleCount running;
    double ready = 0, waiting = 0;
    std::map<std::size_t, double> by_reason;
    std::uint64_t alone = 0, running_on_path = 0;
    double off_on_path = 0;
    std::size_t seen = 0;  // the node, counted from 1, that was added last
  };

  void take_functions(const std::vector<bool>& alone) {
    std::vector<Inclusive> sums(resolver_.function_count());
    const auto each_function = [&](std::size_t node, std::size_t number, const auto& visit) {
      for (const FunctionId id : places_.functions(node, false)) {
        if (sums[id].seen == number) continue;
        sums[id].seen = number;
        visit(sums[id]);
      }
    };
    std::size_t number = 0;
    for (std::size_t node = 0; node < profile_.nodes().size(); ++node) {
      const SampleCount running =
          places_.running() ? profile_.count_at_node(*places_.running(), node) : SampleCount();
      const double ready = time_off(node, true);
      const double waiting = time_off(node, false);
      if (running.samples == 0 && ready == 0 && waiting == 0) continue;
      const std::size_t reason =
          waiting > 0 ? summary_.places[places_.place_of(node, Off::waiting)].reason : kNoReason;
      each_function(node, ++number, [&](Inclusive& sum) {
        sum.running += running;
        sum.ready += ready;
        sum.waiting += waiting;
        if (waiting > 0) sum.by_reason[reason] += waiting;
      });
    }
    std::size_t sample = 0;
    for (const TimedSample& each : profile_.samples()) {
      if (each.event != places_.running()) continue;
      const bool is_alone = sample < alone.size() && alone[sample++];
      const PathStep* const step = step_at(each.time_ns, each.tid);
      const bool on_path = step != nullptr && step->state == ThreadState::running;
      if (!is_alone && !on_path) continue;
      each_function(each.node, ++number, [&](Inclusive& sum) {
        if (is_alone) sum.alone += each.period;
        if (on_path) sum.running_on_path += each.period;
      });
    }
    std::map<ThreadState, double> scales = path_scales();
    for (const PathStep& step : path_) {
      if (step.state == ThreadState::running) continue;
      const TimeOff& off = absences_[step.absence];
      const auto node = places_.node_of(off);
      if (!node) continue;
      const double weight = weight_of(off, reader_);
      const double stands_for = weight == 1 ? 1 : weight * scales[step.state];
      each_function(*node, ++number, [&](Inclusive& sum) {
        sum.off_on_path += stands_for * static_cast<double>(step.length_ns());
      });
    }
    add_functions(sums);
  }

  double time_off(std::size_t node, bool ready) const {
    const auto sum = [&](WallEvent event) { return places_.sum_at(event, node); };
    const auto exact =
        ready ? sum(WallEvent::ready) + sum(WallEvent::woken) : sum(WallEvent::waiting);
    const auto some = ready ? sum(WallEvent::some_ready) + sum(WallEvent::some_woken)
                            : sum(WallEvent::some_waiting);
    return static_cast<double>(exact) + static_cast<double>(some) * scale(ready);
  }

  void add_functions(const std::vector<Inclusive>& sums) {
    const SampleCount whole =
        places_.running() ? profile_.total(*places_.running()) : SampleCount();
    summary_.running_samples = whole.samples;
    summary_.has_running_samples = whole.samples > 0;
    std::vector<double> changes(sums.size());
    if (whole.samples > 0)
      changes = profile_.total_changes(*places_.running(), places_.function_of(), sums.size());
    const auto running_ns = static_cast<double>(summary_.all.running_ns);
    for (FunctionId id = 0; id < sums.size(); ++id) {
      const Inclusive& sum = sums[id];
      if (sum.running.samples == 0 && sum.ready == 0 && sum.waiting == 0) continue;
      WallFunction row{.module = resolver_.module_name(resolver_.function(id).module),
                       .name = places_.name_of(id),
                       .ready_ns = sum.ready,
                       .waiting_ns = sum.waiting,
                       .path_ns = sum.off_on_path,
                       .reason = kNoReason};
      if (whole.samples > 0) {
        const auto all = static_cast<double>(whole.sum);
        const ShareInterval ends =
            profile_.share95(*places_.running(), sum.running, whole, changes[id]);
        row.running_ns = static_cast<double>(sum.running.sum) / all * running_ns;
        row.low_ns = ends.low * running_ns;
        row.high_ns = ends.high * running_ns;
        row.alone_ns = static_cast<double>(sum.alone) / all * running_ns;
        row.path_ns += static_cast<double>(sum.running_on_path) / all * running_ns;
      }
      const auto most =
          std::ranges::max_element(sum.by_reason, {}, [](const auto& each) { return each.second; });
      if (most != sum.by_reason.end()) row.reason = most->first;
      summary_.functions.push_back(std::move(row));
    }
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

  const Profile& profile_;
  const WallReader& reader_;
  const ThreadStates& states_;
  Resolver& resolver_;
  WallPlaces places_;
  AbsenceSum ready_, waiting_;    // all that were sampled
  bool follows_threads_ = false;  // and not CPUs
  WallSummary summary_;
  std::map<std::int32_t, std::size_t> by_tid_;  // in summary_.threads: the last with this number
  std::vector<TimeOff> absences_;               // explained()
  std::vector<PathStep> path_;
};

}  // namespace

WallSummary summarize_wall(const RecordedProfile& recorded, const std::vector<bool>& alone,
                           Resolver& resolver, const WaitReasons& reasons) {
  return WallSummarizer(recorded, resolver, reasons)(alone);
}

}  // namespace tacho

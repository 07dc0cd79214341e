#include "wall/report/wall_summary.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <ranges>
#include <utility>

#include "wall/wall_reader.hpp"

namespace tacho {
namespace {

constexpr std::size_t kLongestOfThread = 3;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

bool is_of_kernel(const Module& module) {
  return module.kind == ModuleKind::kernel || module.kind == ModuleKind::hidden_kernel ||
         module.kind == ModuleKind::bpf;
}

// The numbers of events: `some` are those of which not each switch was sampled.
struct EventNumbers {
  std::size_t waiting = kNone, ready = kNone, some_waiting = kNone, some_ready = kNone,
              running = kNone;
  bool is_ready(std::size_t event) const { return event == ready || event == some_ready; }
  bool is_some(std::size_t event) const { return event == some_waiting || event == some_ready; }
  std::uint64_t one_in = 1;  // of them has a sample
  bool is_absence(std::size_t event) const {
    return event == waiting || event == ready || is_some(event);
  }
};

EventNumbers numbers_of(const perfdata::Description& recording) {
  EventNumbers numbers;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const perfdata::RecordedEvent& event = recording.events[i];
    if (event.name == kWaitingEvent) numbers.waiting = i;
    if (event.name == kReadyEvent) numbers.ready = i;
    if (event.name == kSomeWaitingEvent) numbers.some_waiting = i;
    if (event.name == kSomeReadyEvent) numbers.some_ready = i;
    if (perfdata::is_clock(event) && numbers.running == kNone) numbers.running = i;
    if (event.tells_switches) numbers.one_in = std::max(numbers.one_in, event.period);
  }
  return numbers;
}

class WallSummarizer {
 public:
  WallSummarizer(const RecordedProfile& recorded, const ThreadStates& states, Resolver& resolver,
                 const WaitReasons& reasons)
      : profile_(recorded.profile),
        states_(states),
        resolver_(resolver),
        reasons_(reasons),
        numbers_(numbers_of(recorded.description())) {
    summary_.command = recorded.description().command;
  }

  // Absences at one place, or for one reason: those of which each was sampled, and the others.
  struct AbsenceSum {
    std::uint64_t exact_ns = 0, times = 0, longest_ns = 0;
    SampleCount some;
    void add(std::uint64_t ns, bool is_some) {
      longest_ns = std::max(longest_ns, ns);
      if (is_some) return some.add(ns);
      exact_ns += ns;
      ++times;
    }
  };

  WallSummary operator()(const std::vector<bool>& alone) {
    summary_.begin_ns = states_.begin_ns().value_or(0);
    summary_.span_ns = states_.end_ns().value_or(0) - summary_.begin_ns;
    summary_.time_at = states_.time_at();
    take_threads();
    find_functions();
    take_absences();
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

  void find_functions() {
    for (const CodePlace& cell : profile_.cells())
      function_of_.push_back(resolver_.function_of(cell));
    for (FunctionId id = 0; id < resolver_.function_count(); ++id)
      of_kernel_.push_back(is_of_kernel(profile_.modules()[resolver_.function(id).module]));
  }

  // Without the version of the symbol: pthread_mutex_lock of pthread_mutex_lock@@GLIBC_2.2.5.
  std::string name_of(FunctionId id) const {
    const FunctionInfo& info = resolver_.function(id);
    if (info.known()) return info.brief.substr(0, info.brief.find('@'));
    const std::string module = resolver_.module_name(info.module);
    return module.starts_with('[') ? module : '[' + module + ']';
  }

  // The functions of a node, innermost first, of the kernel or of user mode.
  std::vector<FunctionId> functions(std::size_t node, bool of_kernel) const {
    std::vector<FunctionId> found;
    for (std::size_t at = node; at != kNoParent; at = profile_.nodes()[at].parent) {
      const FunctionId id = function_of_[profile_.nodes()[at].cell];
      if (of_kernel_[id] == of_kernel && is_known(id)) found.push_back(id);
    }
    return found;
  }

  // False for the place that stands for none.
  bool is_known(FunctionId id) const {
    return profile_.modules()[resolver_.function(id).module].kind != ModuleKind::unknown;
  }

  std::vector<std::string> names(const std::vector<FunctionId>& ids) const {
    std::vector<std::string> names;
    for (const FunctionId id : ids) names.push_back(name_of(id));
    return names;
  }

  std::size_t reason_of(std::size_t node, bool ready) {
    std::vector<std::string> kernel;
    for (const FunctionId id : functions(node, true))
      kernel.push_back(resolver_.function(id).plain);
    std::ranges::reverse(kernel);
    const WaitReason& reason = ready ? reasons_.of_ready(kernel) : reasons_.of_waiting(kernel);
    const auto [found, is_new] =
        reason_numbers_.try_emplace({ready, reason.name}, summary_.reasons.size());
    if (is_new) summary_.reasons.push_back({reason, ready, {}});
    of_reasons_.resize(summary_.reasons.size());
    return found->second;
  }

  std::size_t place_of(std::size_t node, bool ready) {
    const auto [known, is_new_node] = place_of_node_.try_emplace({node, ready}, 0);
    if (!is_new_node) return known->second;
    const std::size_t reason = reason_of(node, ready);
    std::vector<FunctionId> ids = functions(node, false);
    if (ids.empty()) ids = functions(node, true);
    const auto [found, is_new] = place_numbers_.try_emplace({reason, ids}, summary_.places.size());
    if (is_new) summary_.places.push_back({reason, {}, names(ids)});
    of_places_.resize(summary_.places.size());
    return known->second = found->second;
  }

  void take_absences() {
    for (const TimedSample& sample : profile_.samples()) {
      if (!numbers_.is_absence(sample.event)) continue;
      const bool ready = numbers_.is_ready(sample.event);
      const bool some = numbers_.is_some(sample.event);
      const std::size_t place = place_of(sample.node, ready);
      of_places_[place].add(sample.period, some);
      of_reasons_[summary_.places[place].reason].add(sample.period, some);
      const auto thread = by_tid_.find(sample.tid);
      if (ready || thread == by_tid_.end()) continue;
      note_long(summary_.threads[thread->second].longest,
                {sample.time_ns - summary_.begin_ns, sample.period, place});
    }
    for (std::size_t i = 0; i < of_reasons_.size(); ++i)
      summary_.reasons[i].sum = estimate(of_reasons_[i], summary_.reasons[i].ready);
    for (std::size_t i = 0; i < of_places_.size(); ++i)
      summary_.places[i].sum =
          estimate(of_places_[i], summary_.reasons[summary_.places[i].reason].ready);
  }

  // The time in a state of the switches of which only some were sampled. Its sum is known, because
  // all switches are.
  double unsampled_ns(bool ready) const {
    const std::uint64_t all = ready ? summary_.all.ready_ns : summary_.all.waiting_ns;
    const std::uint64_t exact = profile_.total(ready ? numbers_.ready : numbers_.waiting).sum;
    return static_cast<double>(all - std::min(all, exact));
  }

  // How much time a nanosecond of those with a sample stands for.
  double scale(bool ready) const {
    const auto sampled = profile_.total(ready ? numbers_.some_ready : numbers_.some_waiting).sum;
    return sampled == 0 ? 0 : unsampled_ns(ready) / static_cast<double>(sampled);
  }

  WaitSum estimate(const AbsenceSum& sum, bool ready) const {
    const auto exact = static_cast<double>(sum.exact_ns);
    WaitSum whole{.total_ns = exact,
                  .low_ns = exact,
                  .high_ns = exact,
                  .longest_ns = sum.longest_ns,
                  .times = static_cast<double>(sum.times + sum.some.samples * numbers_.one_in)};
    const std::size_t some = ready ? numbers_.some_ready : numbers_.some_waiting;
    if (profile_.total(some).samples == 0) return whole;
    const ShareInterval share = profile_.share95(some, sum.some, profile_.total(some));
    whole.total_ns += static_cast<double>(sum.some.sum) * scale(ready);
    whole.low_ns += share.low * unsampled_ns(ready);
    whole.high_ns += share.high * unsampled_ns(ready);
    return whole;
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
    std::uint64_t alone = 0;
    std::size_t seen = 0;  // the node, counted from 1, that was added last
  };

  void take_functions(const std::vector<bool>& alone) {
    std::vector<Inclusive> sums(resolver_.function_count());
    const auto each_function = [&](std::size_t node, std::size_t number, const auto& visit) {
      for (const FunctionId id : functions(node, false)) {
        if (sums[id].seen == number) continue;
        sums[id].seen = number;
        visit(sums[id]);
      }
    };
    std::size_t number = 0;
    for (std::size_t node = 0; node < profile_.nodes().size(); ++node) {
      const SampleCount running = count(numbers_.running, node);
      const double ready = time_off(node, true);
      const double waiting = time_off(node, false);
      if (running.samples == 0 && ready == 0 && waiting == 0) continue;
      const std::size_t reason =
          waiting > 0 ? summary_.places[place_of(node, false)].reason : kNone;
      each_function(node, ++number, [&](Inclusive& sum) {
        sum.running += running;
        sum.ready += ready;
        sum.waiting += waiting;
        if (waiting > 0) sum.by_reason[reason] += waiting;
      });
    }
    std::size_t sample = 0;
    for (const TimedSample& each : profile_.samples()) {
      if (each.event != numbers_.running) continue;
      if (sample < alone.size() && alone[sample++])
        each_function(each.node, ++number, [&](Inclusive& sum) { sum.alone += each.period; });
    }
    add_functions(sums);
  }

  double time_off(std::size_t node, bool ready) const {
    const auto exact = count(ready ? numbers_.ready : numbers_.waiting, node).sum;
    const auto some = count(ready ? numbers_.some_ready : numbers_.some_waiting, node).sum;
    return static_cast<double>(exact) + static_cast<double>(some) * scale(ready);
  }

  SampleCount count(std::size_t event, std::size_t node) const {
    return event == kNone ? SampleCount() : profile_.count_at_node(event, node);
  }

  void add_functions(const std::vector<Inclusive>& sums) {
    const SampleCount whole =
        numbers_.running == kNone ? SampleCount() : profile_.total(numbers_.running);
    summary_.running_samples = whole.samples;
    summary_.has_running_samples = whole.samples > 0;
    std::vector<double> changes(sums.size());
    if (whole.samples > 0) {
      const std::vector<std::size_t> row_of(function_of_.begin(), function_of_.end());
      changes = profile_.total_changes(numbers_.running, row_of, sums.size());
    }
    const auto running_ns = static_cast<double>(summary_.all.running_ns);
    for (FunctionId id = 0; id < sums.size(); ++id) {
      const Inclusive& sum = sums[id];
      if (sum.running.samples == 0 && sum.ready == 0 && sum.waiting == 0) continue;
      WallFunction row{.module = resolver_.module_name(resolver_.function(id).module),
                       .name = name_of(id),
                       .ready_ns = sum.ready,
                       .waiting_ns = sum.waiting,
                       .reason = kNone};
      if (whole.samples > 0) {
        const auto all = static_cast<double>(whole.sum);
        const ShareInterval ends =
            profile_.share95(numbers_.running, sum.running, whole, changes[id]);
        row.running_ns = static_cast<double>(sum.running.sum) / all * running_ns;
        row.low_ns = ends.low * running_ns;
        row.high_ns = ends.high * running_ns;
        row.alone_ns = static_cast<double>(sum.alone) / all * running_ns;
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
      if (row.reason != kNone) row.reason = reason_now[row.reason];
    for (WallThread& thread : summary_.threads)
      for (LongWait& wait : thread.longest) wait.place = place_now[wait.place];
  }

  const Profile& profile_;
  const ThreadStates& states_;
  Resolver& resolver_;
  const WaitReasons& reasons_;
  EventNumbers numbers_;
  WallSummary summary_;
  std::vector<AbsenceSum> of_reasons_, of_places_;
  std::map<std::int32_t, std::size_t> by_tid_;  // in summary_.threads: the last with this number
  std::vector<FunctionId> function_of_;         // by cell
  std::vector<bool> of_kernel_;                 // by function
  std::map<std::pair<bool, std::string>, std::size_t> reason_numbers_;
  std::map<std::pair<std::size_t, bool>, std::size_t> place_of_node_;
  std::map<std::pair<std::size_t, std::vector<FunctionId>>, std::size_t> place_numbers_;
};

}  // namespace

WallSummary summarize_wall(const RecordedProfile& recorded, const ThreadStates& states,
                           const std::vector<bool>& alone, Resolver& resolver,
                           const WaitReasons& reasons) {
  return WallSummarizer(recorded, states, resolver, reasons)(alone);
}

}  // namespace tacho

#include "wall/report/wake_summary.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace tacho {
namespace {

// The times of threads of one name.
struct SumOfThreads {
  AbsenceSum lengths;
  std::set<std::int32_t> tids;
  void add(std::int32_t tid, std::uint64_t length_ns, double weight, std::uint64_t window) {
    lengths.add(length_ns, weight, window);
    tids.insert(tid);
  }
};

// Functions of the kernel through which a processor comes to an interrupt, or to what one left.
bool is_interrupt(std::string_view function) {
  constexpr auto kBeginnings = std::to_array<std::string_view>(
      {"irq_exit", "__irq_exit", "invoke_softirq", "run_ksoftirqd", "asm_sysvec_",
       "asm_common_interrupt", "common_interrupt", "sysvec_", "el1h_64_irq", "el0t_64_irq",
       "el1_interrupt", "el0_interrupt", "__irq_svc", "__irq_usr", "gic_handle_irq"});
  return std::ranges::any_of(kBeginnings,
                             [&](std::string_view each) { return function.starts_with(each); });
}

bool is_of_interrupt(const WallPlaces& places, std::uint32_t node) {
  const auto names = places.names(places.functions(node, true));
  return std::ranges::any_of(names, is_interrupt);
}

// Whether a thread waited for the end of another one, or for that of a child process or its signal.
// The signal also ends a poll, as those of make; but a poll may just as well end by itself.
bool waits_for_an_end(const TimeOff& off, const WallPlaces& places, std::size_t place) {
  constexpr std::uint64_t kAtOnce = 10'000'000;  // ns
  const WaitPlace& where = places.places()[place];
  const std::string& reason = places.reasons()[where.reason].reason.name;
  if (off.awaited->is_process)
    return reason == "child" || reason == "signal" ||
           (reason == "poll" && off.end_ns - off.awaited->time_ns < kAtOnce);
  return std::ranges::any_of(where.functions,
                             [](const std::string& function) { return function.contains("join"); });
}

}  // namespace

std::vector<TimeOff> explained(const WallReader& reader, WallPlaces& places) {
  std::vector<TimeOff> absences = reader.absences();
  std::map<std::uint32_t, bool> of_interrupt;  // by node
  for (TimeOff& off : absences) {
    if (off.awaited && off.awaited->is_inferred) {
      const auto place = places.place_of(off, false);
      if (!place || !waits_for_an_end(off, places, *place)) off.awaited.reset();
    }
    if (!off.woken_ns || !off.in_softirq) continue;
    const auto waker = places.waker_of(off);
    if (!waker) continue;
    const auto [known, is_new] = of_interrupt.try_emplace(*waker, false);
    if (is_new) known->second = is_of_interrupt(places, *waker);
    off.in_softirq = known->second;
  }
  return absences;
}

std::vector<WakeUps> summarize_wake_ups(const WallHistory& history) {
  WallPlaces& places = history.places;
  // By place, name and functions of the waker (no name: an interrupt), whether it ended, and
  // whether an interrupt came to it.
  std::map<std::tuple<std::optional<std::size_t>, std::optional<std::string>,
                      std::vector<FunctionId>, WakeUps::End, bool>,
           SumOfThreads>
      sums;
  AbsenceSum sampled;
  std::uint64_t others_ns = 0;  // of which only some were sampled
  for (const TimeOff& off : history.absences) {
    if (!off.woken_ns && !off.awaited) continue;
    const bool inferred = !off.woken_ns;
    const auto length_ns =
        history.choice.within(off.begin_ns, inferred ? off.awaited->time_ns : *off.woken_ns);
    if (!length_ns || !history.thread_of(off)) continue;
    const double weight = history.weight_of(off, PartOff::first);
    const std::uint64_t window = window_of(off.begin_ns);
    const auto place = places.place_of(off, false);
    if (inferred) {
      const std::int32_t tid = off.awaited->tid;
      if (place)
        sums[{place, history.profile.name_of(tid), {}, WakeUps::End::inferred, false}].add(
            tid, *length_ns, 1, window);
      continue;
    }
    const auto waker = places.waker_of(off);
    // It stands for itself if each switch was sampled, or if no sampled one stands for it.
    const bool is_exact = (weight == 1 && (waker || history.reader.base_weight(off) == 1)) ||
                          (!place && history.scales.waits.is_alone(off, PartOff::first));
    if (!is_exact) others_ns += *length_ns;
    if (!is_exact && !waker) continue;  // others stand for it
    if (!is_exact) sampled.add(*length_ns, weight, window);
    const bool by_interrupt = off.waker == 0 || off.in_softirq;
    const auto ids = !waker         ? std::vector<FunctionId>()
                     : by_interrupt ? places.functions(*waker, true)
                                    : places.functions(*waker);
    // Its call chain would tell whether the interrupt came from its own system call.
    const bool in_interrupt = by_interrupt && off.waker != 0 && !waker;
    const auto name = by_interrupt && !in_interrupt
                          ? std::nullopt
                          : std::optional(history.profile.name_of(off.waker));
    SumOfThreads& sum = sums[{
        place, name, ids, off.awaited ? WakeUps::End::recorded : WakeUps::End::none, in_interrupt}];
    sum.add(off.waker, *length_ns, is_exact ? 1 : weight, window);
    if (!name) sum.tids.clear();
  }
  std::vector<WakeUps> rows;
  for (const auto& [key, sum] : sums) {
    const auto& [place, name, ids, end, in_interrupt] = key;
    const bool is_known = !place && ids.empty();  // these have no sample, so each was added
    rows.push_back({place,
                    {name.value_or(""), sum.tids},
                    end,
                    in_interrupt,
                    places.names(ids),
                    is_known ? sum.lengths.sum()
                             : sum.lengths.sum({.ns = static_cast<double>(others_ns)}, sampled)});
  }
  return rows;
}

std::map<ThreadState, PathTotal> path_totals(const WallHistory& history) {
  std::map<ThreadState, PathTotal> totals;
  for (const PathStep& step : history.path) {
    if (step.state == ThreadState::running || step.state == ThreadState::unknown) continue;
    const TimeOff& off = history.absences[step.absence];
    const double weight = history.weight_of(off, part_of(step, off));
    const auto length_ns = history.choice.within(step.begin_ns, step.end_ns);
    const bool has_place = history.places.node_of(off).has_value();
    const bool is_exact =
        has_place ? weight == 1 : history.scales.waits.is_alone(off, part_of(step, off));
    if (!length_ns || is_exact) continue;
    PathTotal& total = totals[step.state];
    total.all_ns += *length_ns;
    if (has_place) total.sampled.add(*length_ns, weight, window_of(off.begin_ns));
  }
  return totals;
}

CriticalPath summarize_path(const WallHistory& history) {
  std::map<std::tuple<ThreadState, std::optional<std::size_t>, std::string>, SumOfThreads> parts;
  CriticalPath whole;
  double lost_ns = 0;  // in waits for which no sampled one stands
  for (const PathStep& step : history.path) {
    const auto length_ns = history.choice.within(step.begin_ns, step.end_ns);
    if (!length_ns) continue;
    const std::string name = history.profile.name_of(step.tid);
    whole.total_ns += *length_ns;
    if (step.state != ThreadState::waiting) {
      parts[{step.state, std::nullopt, name}].add(step.tid, *length_ns, 1,
                                                  window_of(step.begin_ns));
      continue;
    }
    const TimeOff& off = history.absences[step.absence];
    if (!off.awaited) whole.outside_ns += *length_ns;
    const auto place = history.places.place_of(off, false);
    const bool is_lost = !place && history.scales.waits.is_alone(off, PartOff::first);
    if (is_lost) lost_ns += static_cast<double>(*length_ns);
    if (place || is_lost)
      parts[{step.state, place, name}].add(step.tid, *length_ns,
                                           place ? history.weight_of(off, PartOff::first) : 1,
                                           window_of(off.begin_ns));
  }
  const PathTotal waiting = path_totals(history)[ThreadState::waiting];
  for (const auto& [key, sum] : parts) {
    const auto& [state, place, name] = key;
    PathPart part{state, place, {name, sum.tids}, sum.lengths.sum()};
    if (place) {
      part.sum = sum.lengths.sum({.ns = static_cast<double>(waiting.all_ns)}, waiting.sampled);
      part.sum.high_ns += lost_ns;  // they may have been here, too
    }
    whole.parts.push_back(std::move(part));
  }
  if (waiting.sampled.some_ns() == 0 && waiting.all_ns > 0) {
    AbsenceSum unknown;
    unknown.add(waiting.all_ns, 1, 0);
    whole.parts.push_back({ThreadState::waiting, std::nullopt, {}, unknown.sum()});
  }
  return whole;
}

}  // namespace tacho

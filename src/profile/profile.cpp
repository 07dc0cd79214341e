#include "profile/profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "locate/chain_frames.hpp"

namespace tacho {
namespace {

// The sample's period; if it has none, the event's; if that has none, 1.
std::uint64_t period_of(const perfdata::Sample& sample, const perfdata::Description& recording) {
  if (sample.period) return *sample.period;
  if (sample.event < recording.events.size() && recording.events[sample.event].period > 0)
    return recording.events[sample.event].period;
  return 1;
}

// Whether a recorder may have drawn the event's sampling periods: each thread has a timer of its
// own, with a frequency. (perf keeps the timer's period, and the kernel adapts those of other
// events.)
bool may_be_drawn(const perfdata::RecordedEvent& event) {
  return event.inherited && event.frequency > 0 && perfdata::is_clock(event);
}

// Whether the kernel adapts the period of a software event, and a sample has the one that begins.
bool has_period_to_come(const perfdata::RecordedEvent& event) {
  constexpr std::uint32_t kSoftware = 1, kTracepoint = 2, kBreakpoint = 5;  // PERF_TYPE_*
  return event.frequency > 0 && !perfdata::is_clock(event) &&
         (event.type == kSoftware || event.type == kTracepoint || event.type == kBreakpoint);
}

constexpr double kUnknown = std::numeric_limits<double>::infinity();  // changes between samples
// Most nodes of the call tree, and one more for so many bytes of samples. Programs share most
// callers. A node takes about 150 bytes with its place, and 80 more in a report over time.
constexpr std::size_t kAlwaysAllowedNodes = std::size_t{1} << 19;
constexpr std::uint64_t kBytesOfANode = 48, kBytesOfANodeOverTime = 128;

// Samples that wait to be counted together: enough for memory to answer, few enough to stay in the
// nearest cache.
constexpr std::size_t kMostWaiting = 64;

constexpr auto kAnyTime = std::numeric_limits<std::uint64_t>::max();  // ns

Weights weights(const SampleCount& count) {
  return {static_cast<double>(count.sum), count.squares};
}

double larger_mean_square(const SampleCount& part, const SampleCount& whole) {
  const auto mean_square = [](const SampleCount& count) {
    return count.squares / static_cast<double>(count.samples);
  };
  return std::max(mean_square(part), mean_square(whole));
}

// What a part adds to a sum. A part whose every event was a sample adds nothing to its variance.
SampleCount as_part(SampleCount count, bool exact) {
  if (exact) count.squares = 0;
  return count;
}

// Adds the events `first`, `first` + 1, …: each is a sum of others. `exact`: of each event.
void add_counts_of(std::span<const perfdata::EventSum> sums, std::size_t first,
                   const std::vector<bool>& exact, SampleCounts& counts) {
  const std::vector<std::uint32_t> order = counts.by_event();
  const auto event_of = [&](std::uint32_t number) {
    return std::size_t{counts.entries()[number].event};
  };
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (const std::size_t part : sums[i].parts)
      for (const std::uint32_t number : std::ranges::equal_range(order, part, {}, event_of)) {
        const SampleCounts::Entry each = counts.entries()[number];
        counts.at(first + i, each.place) += as_part(each.count, exact[part]);
      }
}

}  // namespace

SampleCount& Profile::grow(std::vector<SampleCount>& counts, std::size_t index) {
  if (index >= counts.size()) counts.resize(index + 1);
  return counts[index];
}

// Makes a root node of each place. Until the first chain, a place and its node have the same
// number, and counts are stored once.
void Profile::add_roots() {
  for (std::uint32_t cell = 0; cell < cells_.values().size(); ++cell)
    nodes_.number({kNoParent, cell});
}

void Profile::add(const perfdata::Record& record, const perfdata::Description& recording,
                  bool chosen) {
  if (std::holds_alternative<perfdata::Switch>(record.what)) return;
  names_.add(record);
  code_.add(record, recording);
  if (const auto* sample = std::get_if<perfdata::Sample>(&record.what)) {
    // The recorder's own: where a thread waited when the recording began.
    if (sample->event < recording.events.size() && is_dummy(recording.events[sample->event]))
      return;
    if (sample->event >= recorded_.size()) recorded_.resize(sample->event + 1);
    recorded_[sample->event] += period_of(*sample, recording);
    bytes_ += record.body.size();
    if (chosen) add_sample(*sample, sample->time_ns ? sample->time_ns : record.time_ns, recording);
    return;
  }
  count_waiting(recording);
  if (const auto* fork = std::get_if<perfdata::Fork>(&record.what)) {
    // Recorders describe the threads that run already by forks without a time.
    if (chosen && record.time_ns.value_or(0) > 0)
      starts_.begin(fork->tid, fork->parent_tid, *record.time_ns, recording);
  } else if (const auto* exit = std::get_if<perfdata::Exit>(&record.what)) {
    if (chosen) starts_.end(exit->tid, record.time_ns.value_or(0), recording);
    for (auto& neighbours : neighbours_)
      if (neighbours) neighbours->end(exit->tid);
  } else if (const auto* lost = std::get_if<perfdata::Lost>(&record.what)) {
    lost_.add(*lost);
  } else if (const auto* throttle = std::get_if<perfdata::Throttle>(&record.what)) {
    throttled_ += throttle->on ? 1 : 0;
  }
}

void Profile::finish(const perfdata::Description& recording) {
  count_waiting(recording);
  code_.add_build_ids(recording.build_ids);
  starts_.finish(last_ns_.value_or(0), recording);
  if (!has_chains_) add_roots();
  std::uint64_t all = 0;
  for (const SampleCount& total : totals_) all += total.samples;
  if (samples_.size() != all) samples_.clear();  // some have no time, and would be missing
  if (!std::ranges::is_sorted(samples_, {}, &TimedSample::time_ns))
    std::ranges::stable_sort(samples_, {}, &TimedSample::time_ns);
  each_sampled_.assign(recording.events.size(), false);
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const perfdata::RecordedEvent& event = recording.events[i];
    // A clock with period 1 is not sampled in each nanosecond.
    each_sampled_[i] = event.period == 1 && event.frequency == 0 && !is_clock(event);
  }
  take_counts(recording);
  std::vector<perfdata::EventSum> sums = core_type_sums(recording);
  for (perfdata::EventSum& sum : sums)
    std::erase_if(sum.parts, [&](std::size_t part) { return total(part).samples == 0; });
  std::erase_if(sums, [](const perfdata::EventSum& sum) { return sum.parts.size() < 2; });
  sums.insert(sums.end(), recording.sums.begin(), recording.sums.end());
  add_sums(std::move(sums), recording);
}

// Adds events behind all others: at each place, the sum of their parts.
void Profile::add_sums(std::vector<perfdata::EventSum> sums,
                       const perfdata::Description& recording) {
  if (sums.empty()) return;
  totals_.resize(std::max(totals_.size(), recording.events.size()));
  const std::size_t first = totals_.size();
  std::vector<bool> exact(first);
  for (std::size_t i = 0; i < first; ++i) exact[i] = is_exact(i);
  for (SampleCounts* counts : {&cells_of_, &nodes_of_, &cut_nodes_of_, &incomplete_nodes_of_})
    add_counts_of(sums, first, exact, *counts);
  if (owners_) add_counts_of(sums, first, exact, owners_->counts());
  for (const perfdata::EventSum& sum : sums) {
    const std::size_t event = totals_.size();
    SampleCount whole;
    std::uint64_t without_skid = 0;
    for (const std::size_t part : sum.parts) {
      whole += as_part(total(part), exact[part]);
      without_skid += exact_samples(part);
    }
    for (std::vector<SampleCount>* counts : {&cut_, &hidden_, &incomplete_})
      for (const std::size_t part : sum.parts)
        if (part < counts->size()) grow(*counts, event) += SampleCount((*counts)[part]);
    totals_.push_back(whole);
    exact_.resize(totals_.size());
    exact_[event] = without_skid;
    each_sampled_.push_back(std::ranges::all_of(
        sum.parts, [&](std::size_t part) { return static_cast<bool>(each_sampled_[part]); }));
  }
  sums_ = std::move(sums);
}

Unsampled Profile::unsampled(std::size_t event) const {
  if (is_exact(event)) return {};
  const perfdata::EventSum* const of = sum(event);
  if (of == nullptr) return starts_.of(event);
  Unsampled together;
  for (const std::size_t part : of->parts) {
    const Unsampled each = starts_.of(part);
    together.threads = std::max(together.threads, each.threads);
    together.starts += each.starts;
    together.missed += each.missed;
  }
  return together;
}

void Profile::add_inlined(const std::function<std::uint32_t(const CodePlace&)>& levels_of) {
  std::vector<std::uint32_t> levels;  // by cell
  for (const CodePlace& place : cells_.values()) levels.push_back(levels_of(place));
  if (std::ranges::all_of(levels, [](std::uint32_t each) { return each <= 1; })) return;
  NumberedValues<CallNode, Mix> nodes;
  for (const CallNode& old : nodes_.values()) {
    std::uint32_t node = old.parent == kNoParent ? kNoParent : nodes_now_[old.parent];
    CodePlace place = cells_.values()[old.cell];
    for (std::uint32_t level = std::max(levels[old.cell], 1U); level-- > 0;) {
      place.level = level;
      node = nodes.number({node, cells_.number(place)});
    }
    nodes_now_.push_back(node);
  }
  const auto renumbered = [&](const SampleCounts& old) {
    SampleCounts counts;
    for (const std::uint32_t number : old.by_event()) {
      const SampleCounts::Entry& each = old.entries()[number];
      counts.at(each.event, nodes_now_[each.place]) += each.count;
    }
    return counts;
  };
  nodes_of_ = renumbered(has_chains_ ? nodes_of_ : cells_of_);
  cut_nodes_of_ = renumbered(cut_nodes_of_);
  incomplete_nodes_of_ = renumbered(incomplete_nodes_of_);
  nodes_ = std::move(nodes);
  for (TimedSample& sample : samples_) sample.node = nodes_now_[sample.node];
}

bool Profile::is_exact(std::size_t event) const {
  return event < each_sampled_.size() && each_sampled_[event] && lost() == 0 && throttled_ == 0;
}

double Profile::worth(std::size_t event, const SampleCount& part, const SampleCount& whole,
                      double changes) const {
  if (is_exact(event)) return std::numeric_limits<double>::infinity();
  const Weights all = weights(whole);
  // Times of a sum that were counted add no squares. Here is nothing else.
  if (all.sum > 0 && all.squares == 0) return std::numeric_limits<double>::infinity();
  double independent = effective_samples(weights(part), all);
  // Where samples have the periods that follow them, a heavy one says little about its own row.
  const bool guessed = event < last_periods_.size() && !last_periods_[event].empty();
  if (guessed) independent = std::min(independent, effective_samples(all, all));
  if (part.samples == 0 || std::isinf(changes)) return independent;
  const auto sum = static_cast<double>(whole.sum);
  return std::max(independent, systematic_samples(static_cast<double>(part.sum) / sum, sum, changes,
                                                  larger_mean_square(part, whole)));
}

ShareInterval Profile::share95(std::size_t event, const SampleCount& part, const SampleCount& whole,
                               double changes) const {
  const double share =
      whole.sum > 0 ? static_cast<double>(part.sum) / static_cast<double>(whole.sum) : 0;
  return with_unseen(wilson95(share, worth(event, part, whole, changes)),
                     unsampled(event).share(whole.sum));
}

double Profile::worth_of_difference(std::size_t event, const SampleCount& both,
                                    const SampleCount& whole, double changes) const {
  if (is_exact(event)) return std::numeric_limits<double>::infinity();
  const double independent = effective_samples_of_difference(weights(both), weights(whole));
  if (both.samples == 0 || std::isinf(changes)) return independent;
  const auto sum = static_cast<double>(whole.sum);
  return std::max(independent,
                  systematic_samples_of_difference(static_cast<double>(both.sum) / sum, sum,
                                                   changes, larger_mean_square(both, whole)));
}

const Neighbours* Profile::neighbours(std::size_t event) const {
  const bool known = event < neighbours_.size() && neighbours_[event] && lost() + throttled_ == 0;
  return known ? &*neighbours_[event] : nullptr;
}

std::vector<double> Profile::changes(std::size_t event, std::span<const std::size_t> row_of,
                                     std::size_t rows) const {
  const Neighbours* const known = neighbours(event);
  if (known == nullptr) return std::vector<double>(rows, kUnknown);
  return known->changes([&](std::uint32_t node) { return row_of[cell_at(node)]; }, rows);
}

std::vector<double> Profile::total_changes(std::size_t event, std::span<const std::size_t> row_of,
                                           std::size_t rows) const {
  std::vector<std::uint64_t> seen(rows);  // by row: the number of the node that had it last
  std::uint64_t number = 0;
  return changes_of_each(
      event,
      [&](std::uint32_t node, std::vector<std::size_t>& found) {
        ++number;
        for (; node != kNoParent; node = nodes_.values()[node].parent) {
          const std::size_t row = row_of[nodes_.values()[node].cell];
          if (row >= rows || seen[row] == number) continue;
          seen[row] = number;
          found.push_back(row);
        }
      },
      rows);
}

std::vector<double> Profile::changes_of_each(std::size_t event, const Neighbours::RowsOf& rows_of,
                                             std::size_t rows) const {
  const Neighbours* const known = neighbours(event);
  if (known == nullptr) return std::vector<double>(rows, kUnknown);
  return known->changes_of_each(
      [&](std::uint32_t node, std::vector<std::size_t>& found) { rows_of(node_now(node), found); },
      rows);
}

std::vector<double> Profile::exchanges(
    std::size_t event, std::span<const std::size_t> row_of,
    std::span<const std::pair<std::size_t, std::size_t>> pairs) const {
  const Neighbours* const known = neighbours(event);
  if (known == nullptr) return std::vector<double>(pairs.size(), kUnknown);
  return known->exchanges([&](std::uint32_t node) { return row_of[cell_at(node)]; }, pairs);
}

void Profile::add_sample(const perfdata::Sample& sample, perfdata::OptionalU64 time,
                         const perfdata::Description& recording) {
  const std::size_t event = sample.event;
  const std::uint64_t period = period_of(sample, recording);
  if (time) {
    first_ns_ = std::min(first_ns_.value_or(*time), *time);
    last_ns_ = std::max(last_ns_.value_or(*time), *time);
  }
  if (event >= totals_.size()) {
    totals_.resize(event + 1);
    exact_.resize(event + 1);
    while (neighbours_.size() < std::min(event + 1, recording.events.size())) {
      const bool drawn = may_be_drawn(recording.events[neighbours_.size()]);
      neighbours_.emplace_back();
      if (drawn) neighbours_.back().emplace();
    }
  }
  if (!sample.ip) {
    ++without_address_;
    return;
  }
  totals_[event].add(period);
  if (event < recording.events.size() && has_period_to_come(recording.events[event])) {
    if (event >= last_periods_.size()) last_periods_.resize(event + 1);
    const std::int32_t thread = sample.tid.value_or(-1);
    const bool of_cpu = !recording.events[event].inherited && sample.cpu;
    last_periods_[event][of_cpu ? static_cast<std::int32_t>(*sample.cpu) : thread] = period;
  }
  if (owners_) owners_->add(sample, names_.of(sample.tid.value_or(-1)), period);
  starts_.sample(sample.tid.value_or(-1), event, period);
  exact_[event] += sample.exact_ip ? 1 : 0;
  const CallChain chain = stacks_.chain_of(sample, code_.mapped(), recording);
  if (!has_chains_ && chain.addresses.size() > 2) {  // more than a mark and the address itself
    count_waiting(recording);
    add_roots();
    nodes_of_ = cells_of_;
    has_chains_ = true;
  }
  Waiting located{.place = code_.find(sample.pid.value_or(-1), time, sample.mode, *sample.ip),
                  .hash = 0,
                  .has_time = time.has_value(),
                  .sample = {.time_ns = time.value_or(0),
                             .period = period,
                             .pid = sample.pid.value_or(-1),
                             .tid = sample.tid.value_or(-1),
                             .event = static_cast<std::uint32_t>(event)}};
  located.hash = Mix()(located.place);
  if (!has_chains_) {
    cells_.ask_for(located.hash);
    waiting_.push_back(located);
    if (waiting_.size() == kMostWaiting) count_waiting(recording);
    return;
  }
  const std::uint32_t leaf = cells_.number(located.place, located.hash);
  cells_of_.at(event, leaf).add(period);
  located.sample.node = add_chain(sample, time, chain, leaf, period);
  keep(located, recording);
}

// Counts the samples without call chains that wait. A look-up in a large table waits for memory, so
// each step asks for what the next one needs, for all of them.
void Profile::count_waiting(const perfdata::Description& recording) {
  for (const Waiting& each : waiting_) cells_.ask_for_likely(each.hash);
  for (Waiting& each : waiting_) {
    each.sample.node = cells_.number(each.place, each.hash);
    cells_of_.ask_for(each.sample.node);
  }
  for (const Waiting& each : waiting_) {
    // Until the first chain, a place and its node have the same number.
    cells_of_.at(each.sample.event, each.sample.node).add(each.sample.period);
    keep(each, recording);
  }
  waiting_.clear();
}

// Keeps what the order and the times of samples tell.
void Profile::keep(const Waiting& counted, const perfdata::Description& recording) {
  const TimedSample& sample = counted.sample;
  if (sample.event < neighbours_.size() && neighbours_[sample.event]) {
    const perfdata::RecordedEvent& recorded = recording.events[sample.event];
    // The timer's samples in the other mode are missing.
    const bool one_mode = recorded.exclude_kernel || recorded.exclude_user;
    if (sample.period == perfdata::wanted_period(recorded))
      neighbours_[sample.event].reset();  // the recorder kept one period
    else
      neighbours_[sample.event]->add(sample.tid, sample.node, sample.time_ns,
                                     one_mode ? sample.period + sample.period / 2 : kAnyTime);
  }
  if (keeps_samples_ && counted.has_time) samples_.push_back(sample);
}

// Sets chain_. With `all_known`, only if all of the chain is in the call tree already.
bool Profile::set_chain(const perfdata::Sample& sample, perfdata::OptionalU64 time,
                        const CallChain& chain, std::uint32_t leaf, bool all_known) {
  chain_.assign(1, leaf);
  bool innermost = true;
  bool whole = true;
  const Callers callers = for_each_frame(
      chain.addresses, sample.mode,
      [&](perfdata::Mode mode, std::uint64_t address, bool is_return_address) {
        // The first address is usually the sample's own, which is already in the chain.
        const bool own = innermost && address == sample.ip;
        innermost = false;
        if (own || !whole) return;
        const CodePlace place =
            code_.find(sample.pid.value_or(-1), time, mode, looked_up(address, is_return_address));
        const auto cell = all_known ? cells_.find(place) : std::optional(cells_.number(place));
        whole = cell.has_value();
        chain_.push_back(cell.value_or(0));
      });
  deferred_ += callers == Callers::deferred ? 1 : 0;
  std::optional<std::uint32_t> node = kNoParent;
  for (std::size_t i = chain_.size(); all_known && whole && i-- > 0;) {
    node = nodes_.find({*node, chain_[i]});
    whole = node.has_value();
  }
  if (!whole) chain_.resize(1);
  return whole;
}

std::uint32_t Profile::add_chain(const perfdata::Sample& sample, perfdata::OptionalU64 time,
                                 const CallChain& chain, std::uint32_t leaf, std::uint64_t period) {
  const std::uint64_t more = bytes_ / (keeps_samples_ ? kBytesOfANodeOverTime : kBytesOfANode);
  const bool full = nodes_.values().size() >= kAlwaysAllowedNodes + more;
  const bool whole = set_chain(sample, time, chain, leaf, full);
  without_callers_ += whole ? 0 : 1;
  std::uint32_t node = kNoParent;
  for (std::size_t i = chain_.size(); i-- > 0;) node = nodes_.number({node, chain_[i]});
  nodes_of_.at(sample.event, node).add(period);
  if (chain.cut || !whole) {
    cut_nodes_of_.at(sample.event, node).add(period);
    grow(cut_, sample.event).add(period);
  }
  if (chain.hides_caller) grow(hidden_, sample.event).add(period);
  if (chain.cut || chain.hides_caller || !whole) {
    incomplete_nodes_of_.at(sample.event, node).add(period);
    grow(incomplete_, sample.event).add(period);
  }
  return node;
}

}  // namespace tacho

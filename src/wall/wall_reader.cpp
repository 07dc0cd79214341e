#include "wall/wall_reader.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash_seed.hpp"
#include "perfdata/format_constants.hpp"
#include "wall/kept_sample.hpp"
#include "wall/switch_weights.hpp"
#include "wall/switch_windows.hpp"
#include "wall/wake_samples.hpp"

namespace tacho {
namespace {

using perfdata::Description, perfdata::Record, perfdata::RecordedEvent, perfdata::Sample;

bool has_clock(const Description& recording) {
  return std::ranges::any_of(recording.events, perfdata::is_clock);
}

Result<void> no_clock() {
  return failure("the recording has no samples of running time (cpu-clock)",
                 "show the waits alone: --off-cpu; or record with --wall");
}

// The nanoseconds that a sample of a clock stands for.
std::uint64_t clock_period(const Sample& sample, const RecordedEvent& event) {
  return sample.period.value_or(perfdata::wanted_period(event));
}

class SwitchReader final : public WallReader {
 public:
  SwitchReader(std::unique_ptr<perfdata::Reader> inner, WallView view, WallScales scales)
      : inner_(std::move(inner)), view_(view), scales_(std::move(scales)) {
    describe();
    if (description_.all.begin_ns) states_.pass(*description_.all.begin_ns);
  }

  Result<const Record*> next() override {
    for (;;) {
      if (yielded_ < made_.size()) return &made_[yielded_++];
      made_.clear();
      yielded_ = 0;
      if (!complete_.empty()) {
        last_ = std::move(complete_.front());
        complete_.pop_front();
        make(*last_);
        continue;
      }
      if (ended_) {
        if (damage_) return std::unexpected(*damage_);
        return nullptr;
      }
      const auto read = inner_->next();
      if (!read) damage_ = read.error();
      if (!read || *read == nullptr) {
        end();
        continue;
      }
      const Record* const record = *read;
      if (inner_->description().events.size() != description_.own_events) describe();
      if (const Record* const yielded = take(*record)) return yielded;
    }
  }

  void watch(std::function<void(const perfdata::RawRecord&)> watcher) override {
    inner_->watch(std::move(watcher));
  }
  const Description& description() const override { return description_.all; }
  const perfdata::Tally& tally() const override { return inner_->tally(); }
  const ThreadStates& states() const override { return states_; }
  const std::vector<TimeOff>& absences() const override { return absences_; }
  std::size_t own_events() const override { return description_.own_events; }
  void cut_to(std::vector<TimeSpan> times) override { times_ = std::move(times); }
  double running_scale() const override {
    std::uint64_t running_ns = 0;
    for (const ThreadTimes& thread : states_.threads()) running_ns += thread.running_ns;
    return clock_ns_ == 0 ? 1 : static_cast<double>(running_ns) / static_cast<double>(clock_ns_);
  }
  const SwitchWeights& switch_weights() const override {
    return scales_.switches.is_empty() ? weights_ : scales_.switches;
  }
  bool tells_wakes() const override { return wakes_.any(); }
  bool tells_others_wakes() const override { return wakes_.any_everywhere(); }

 private:
  void describe() {
    const Description& recording = inner_->description();
    wakes_.describe(recording);
    description_ = describe_waits(recording, view_, wakes_, switch_weights().each_sampled());
  }

  // Returns what is to be yielded in the record's place, unless that is in `made_`.
  const Record* take(const Record& record) {
    const auto* sample = std::get_if<Sample>(&record.what);
    const auto& events = inner_->description().events;
    if (sample != nullptr && wakes_.has(sample->event)) {
      wake(record, *sample);
      return nullptr;
    }
    if (sample != nullptr && is_of_others(events[sample->event])) return nullptr;
    const bool of_switch = sample != nullptr && perfdata::is_of_switches(events[sample->event]);
    if (sample != nullptr && is_dummy(events[sample->event]) && sample->tid) {
      take_first(*sample);
      return nullptr;
    }
    const auto absence = states_.add(record, of_switch);
    if (of_switch) {
      if (sample->tid) left_.insert_or_assign(*sample->tid, KeptSample(*sample));
      any_sample_ = true;
      return nullptr;
    }
    if (const auto* moved = std::get_if<perfdata::Switch>(&record.what)) {
      if (absence) absent(*absence);
      pass_window(record.time_ns.value_or(0));
      if (moved->out) ++switches_now_;
      first_.erase(moved->tid);
      if (!moved->out)
        left_.erase(moved->tid);
      else if (moved->tid > 0)
        weights_.add(record.time_ns.value_or(0), left_.contains(moved->tid));
      return nullptr;
    }
    if (const auto* exit = std::get_if<perfdata::Exit>(&record.what)) {
      left_.erase(exit->tid);
      first_.erase(exit->tid);
      wakers_.erase(exit->tid);
    }
    if (sample != nullptr && is_clock(events[sample->event]))
      clock_ns_ += clock_period(*sample, events[sample->event]);
    if (sample == nullptr || view_ == WallView::apart) return &record;
    if (view_ == WallView::off_cpu || !is_clock(events[sample->event])) return nullptr;
    Record& made = made_.emplace_back(record);
    auto& running = std::get<Sample>(made.what);
    running.event = kRunningState;
    const std::uint64_t period = clock_period(running, events[sample->event]);
    running.period =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(period) * scales_.running));
    return nullptr;
  }

  // Whether its samples are of threads that are not recorded, too: of wake-ups, in a recording that
  // was cut before their fields were described.
  bool is_of_others(const RecordedEvent& event) const {
    return event.type == perfdata::format::kTracepointType && !event.inherited &&
           std::ranges::any_of(inner_->description().events, &RecordedEvent::inherited);
  }

  // What a thread did when the recording began, as the recorder saw it in /proc.
  void take_first(const Sample& sample) {
    states_.pass(sample.time_ns.value_or(0));
    if (states_.is_seen(*sample.tid)) return;
    states_.was_runnable(*sample.tid, sample.chain.empty());
    if (!sample.chain.empty()) first_.insert_or_assign(*sample.tid, KeptSample(sample));
  }

  void wake(const Record& record, const Sample& sample) {
    const auto woken = wakes_.read(record, sample, inner_->description());
    if (!woken || !states_.waits(woken->tid)) return;
    if (wakes_.tell_times(sample.event) || switches_are_few(record.time_ns.value_or(0)))
      states_.wake(woken->tid, record.time_ns.value_or(0), woken->waker, woken->in_softirq);
    if (view_ == WallView::apart && wakes_.tell_places(sample.event))
      wakers_.try_emplace(woken->tid, woken->waker == 0 ? without_thread(sample) : sample);
  }

  // Then the recorder takes each sample, and those with a call chain stand in for others:
  // Linux 6.18 takes some samples of a thread that it does not take of the CPU.
  bool switches_are_few(std::uint64_t time_ns) {
    constexpr std::uint64_t kFew = 1'000;  // in a window; above, the recorder may pause samples
    pass_window(time_ns);
    return switches_now_ < kFew && switches_before_ < kFew;
  }

  void pass_window(std::uint64_t time_ns) {
    const std::uint64_t window = window_of(time_ns);
    if (window == window_) return;
    switches_before_ = window == window_ + 1 ? switches_now_ : 0;
    switches_now_ = 0;
    window_ = window;
  }

  // A time off the CPU that is over, with the samples of its beginning and of its wake-up.
  struct Absence {
    TimeOff off;
    std::optional<KeptSample> left, waker;
  };
  using KeptSamples = std::unordered_map<std::int32_t, KeptSample, NumberHash>;  // by tid

  static std::optional<KeptSample> take(KeptSamples& samples, std::int32_t tid) {
    auto found = samples.extract(tid);
    if (!found) return std::nullopt;
    return std::move(found.mapped());
  }

  // Its sample is made before the next record is read, for that may be of a new program.
  void absent(const TimeOff& off) {
    Absence absence{.off = off,
                    .left = take(off.by_switch ? left_ : first_, off.tid),
                    .waker = take(wakers_, off.tid)};
    absence.off.sampled = absence.left.has_value();
    absences_.push_back(absence.off);
    complete_.push_back(std::move(absence));
  }

  void make(const Absence& absence) {
    Sample sample = absence.left ? absence.left->sample() : Sample{};
    if (!sample.ip) sample.ip = 0;  // a place that no code has
    sample.pid = absence.off.pid;
    sample.tid = absence.off.tid;
    // Others may stand for a switch without a sample.
    const bool has_others = !absence.left && absence.off.by_switch && any_sample_;
    if (view_ != WallView::apart)
      make_states(absence.off, sample, has_others);
    else if (!has_others)
      make_apart(absence, sample);
  }

  // A length of time at the place of a sample. `at_ns` is the time of what is made.
  void make(std::size_t event, const Sample& of, std::uint64_t length_ns, std::uint64_t at_ns) {
    Sample made = of;
    made.event = description_.first_made + event;
    made.time_ns = at_ns;
    made.period = length_ns;
    made_.push_back({.time_ns = at_ns, .body = {}, .what = made});
  }

  void make_states(const TimeOff& off, const Sample& sample, bool has_others) {
    const auto add = [&](std::size_t event, PartOff part, TimeSpan whole) {
      const double stands_for = !has_others ? scales_.waits.of(off, part, base_weight(off))
                                : scales_.waits.is_alone(off, part) ? 1
                                                                    : 0;
      if (stands_for == 0) return;
      for (const TimeSpan& span : parts_within(times_, whole))
        make(event, sample,
             static_cast<std::uint64_t>(
                 std::llround(static_cast<double>(span.length_ns()) * stands_for)),
             span.begin_ns);
    };
    const std::uint64_t woken = off.woken_or_end_ns();
    add(off.state == ThreadState::ready ? kReadyState : kWaitingState, PartOff::first,
        {off.begin_ns, woken});
    if (off.woken_ns) add(kReadyState, PartOff::woken, {woken, off.end_ns});
  }

  void make_apart(const Absence& absence, const Sample& sample) {
    const TimeOff& off = absence.off;
    const auto add = [&](WallEvent event, const Sample& of, TimeSpan span, std::uint64_t at_ns) {
      make(static_cast<std::size_t>(event), of, span.length_ns(), at_ns);
    };
    const TimeSpan first{off.begin_ns, off.woken_or_end_ns()};
    const bool is_ready = off.state == ThreadState::ready;
    add(is_ready ? WallEvent::ready : WallEvent::waiting, sample, first, off.begin_ns);
    if (is_ready || !absence.waker) return;
    const std::uint64_t over =
        std::clamp(off.woken_ns.value_or(absence.waker->time_ns()), off.begin_ns, off.end_ns);
    add(WallEvent::waker, absence.waker->sample(), {off.begin_ns, over}, over);
    if (!off.woken_ns) add(WallEvent::late, sample, {over, off.end_ns}, over);
  }

  void end() {
    ended_ = true;
    weights_.end();
    describe();
    if (view_ == WallView::together && !damage_ && !has_clock(inner_->description()))
      damage_ = no_clock().error();  // of a stream
    for (const TimeOff& off : states_.finish(!description_.of_cpus, description_.all.end_ns))
      absent(off);
    absences_.insert(absences_.end(), states_.unknown().begin(), states_.unknown().end());
    std::ranges::stable_sort(absences_, {}, &TimeOff::begin_ns);
  }

  std::unique_ptr<perfdata::Reader> inner_;
  WallView view_;
  WallScales scales_;
  WaitDescription description_;
  bool any_sample_ = false;
  std::uint64_t clock_ns_ = 0;  // that the samples of running time stand for
  ThreadStates states_;
  KeptSamples left_;    // taken when the thread last left its CPU
  KeptSamples first_;   // taken while it waited since before the recording
  KeptSamples wakers_;  // taken when this thread was woken
  SwitchWeights weights_;
  std::deque<Absence> complete_;  // to be yielded
  std::optional<Absence> last_;   // to which `made_` refers
  WakeSamples wakes_;
  std::uint64_t window_ = 0, switches_now_ = 0, switches_before_ = 0;  // in it and the one before
  std::vector<TimeOff> absences_;
  std::vector<TimeSpan> times_;  // to which waits are cut
  std::vector<Record> made_;     // in the place of the last record
  std::size_t yielded_ = 0;      // of them
  bool ended_ = false;
  std::optional<Error> damage_;  // that ended the recording
};

}  // namespace

const WallReader& wall_reader(const perfdata::Reader& reader) {
  return dynamic_cast<const WallReader&>(reader);
}

WallScales wall_scales(const WallReader& read, const std::function<bool(const TimeOff&)>& chosen) {
  std::vector<TimeOff> absences;
  std::ranges::copy_if(read.absences(), std::back_inserter(absences), chosen);
  return {WaitWeights(absences, [&](const TimeOff& off) { return read.base_weight(off); }),
          read.switch_weights(), read.running_scale()};
}

Result<std::unique_ptr<WallReader>> open_wall_reader(std::unique_ptr<perfdata::Reader> reader,
                                                     WallView view, WallScales scales) {
  if (!std::ranges::any_of(reader->description().events, &RecordedEvent::tells_switches) &&
      !reader->description().pipe)
    return failure("the recording does not tell when threads waited",
                   "record with: tacho record --wall -- COMMAND…");
  if (view == WallView::together && !reader->description().pipe &&
      !has_clock(reader->description()))
    return std::unexpected(no_clock().error());
  return std::make_unique<SwitchReader>(std::move(reader), view, std::move(scales));
}

}  // namespace tacho

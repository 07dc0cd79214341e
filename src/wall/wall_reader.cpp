#include "wall/wall_reader.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash_seed.hpp"
#include "perfdata/cursor.hpp"
#include "perfdata/recorded_tracepoints.hpp"
#include "perfdata/sample_details.hpp"
#include "wall/kept_sample.hpp"
#include "wall/switch_weights.hpp"

namespace tacho {
namespace {

using perfdata::Description, perfdata::Record, perfdata::RecordedEvent, perfdata::Sample;

// In kStateEventNames.
constexpr std::size_t kWaiting = 0, kReady = 1, kRunning = 2;

constexpr std::uint32_t kSoftware = 1;            // PERF_TYPE_SOFTWARE
constexpr std::uint64_t kContextSwitches = 3;     // PERF_COUNT_SW_CONTEXT_SWITCHES
constexpr std::uint32_t kTracepoint = 2;          // PERF_TYPE_TRACEPOINT
constexpr std::uint64_t kSampledCpu = 1U << 7;    // PERF_SAMPLE_CPU
constexpr std::uint64_t kSampledChain = 1U << 5;  // PERF_SAMPLE_CALLCHAIN
constexpr std::uint64_t kSampledRaw = 1U << 10;   // PERF_SAMPLE_RAW

bool is_switches(const RecordedEvent& event) {
  return event.type == kSoftware && event.config == kContextSwitches;
}

bool has_clock(const Description& recording) {
  return std::ranges::any_of(recording.events, perfdata::is_clock);
}

Result<void> no_clock() {
  return failure("the recording has no samples of running time (cpu-clock)",
                 "show the waits alone: --off-cpu; or record with --wall");
}

// Where the samples of a tracepoint say that a thread is woken.
struct WakeFields {
  perfdata::TracepointField tid, flags;
  bool has_chain = false;
};

// Nothing if the event is not such a tracepoint, or the recording does not describe it.
std::optional<WakeFields> wake_fields(const RecordedEvent& event) {
  if (event.type != kTracepoint || (event.sample_type & kSampledRaw) == 0) return std::nullopt;
  const bool known = event.name.starts_with("sched:sched_waking");
  const auto tid = perfdata::tracepoint_field(event.format, "pid");
  const auto flags = perfdata::tracepoint_field(event.format, "common_flags");
  if (!known || !tid || !flags || tid->size != sizeof(std::int32_t) || flags->size != 1)
    return std::nullopt;
  return WakeFields{*tid, *flags, (event.sample_type & kSampledChain) != 0};
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
    if (description_.begin_ns) states_.begin(*description_.begin_ns);
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
      if (inner_->description().events.size() != events_) describe();
      if (const Record* const yielded = take(*record)) return yielded;
    }
  }

  void watch(std::function<void(const perfdata::RawRecord&)> watcher) override {
    inner_->watch(std::move(watcher));
  }
  const Description& description() const override { return description_; }
  const perfdata::Tally& tally() const override { return inner_->tally(); }
  const ThreadStates& states() const override { return states_; }
  const std::vector<TimeOff>& absences() const override { return absences_; }
  std::size_t own_events() const override { return events_; }
  void cut_to(std::vector<std::pair<std::uint64_t, std::uint64_t>> times) override {
    times_ = std::move(times);
  }
  double running_scale() const override {
    std::uint64_t running_ns = 0;
    for (const ThreadTimes& thread : states_.threads()) running_ns += thread.running_ns;
    return clock_ns_ == 0 ? 1 : static_cast<double>(running_ns) / static_cast<double>(clock_ns_);
  }
  double weight_at(std::uint64_t time_ns) const override {
    return any_sample_ ? weights_.at(time_ns).value_or(1) : 1;
  }
  bool tells_wakes() const override {
    return std::ranges::any_of(wakes_, [](const auto& each) { return each.has_value(); });
  }

 private:
  // The description of the recording, with the events that take the place of switches behind its
  // own. Each is like the event that takes a sample at each switch, so that chains are read alike.
  void describe() {
    const Description& recording = inner_->description();
    description_ = recording;
    events_ = description_.events.size();
    wakes_.clear();
    for (RecordedEvent& each : description_.events) {
      wakes_.push_back(wake_fields(each));
      if (!wakes_.back()) continue;
      each.inherited = false;  // no sample of it is missing for a thread's start
      (wakes_.back()->has_chain ? some_have_chains_ : some_have_none_) = true;
    }
    auto found = std::ranges::find_if(description_.events, is_switches);
    if (found == description_.events.end())
      found = std::ranges::find_if(description_.events, &RecordedEvent::tells_switches);
    if (found == description_.events.end()) return;
    of_cpus_ = (found->sample_type & kSampledCpu) != 0;
    RecordedEvent event = *found;
    event.ids.clear();
    // Their samples are not shown: others take their place.
    if (view_ != WallView::apart) {
      description_.events.clear();
      description_.counted.clear();
      description_.groups.clear();
    }
    first_made_ = description_.events.size();
    const auto add = [&](std::string_view name) {
      event.name = name;
      description_.events.push_back(event);
    };
    event.type = kSoftware;
    event.config = kContextSwitches;
    if (view_ == WallView::apart) event.inherited = false;  // no thread's start lacks its samples
    event.frequency = 0;
    if (view_ == WallView::apart) {
      for (std::size_t i = 0; i < kWallEventNames.size(); ++i) {
        event.lengths = i < static_cast<std::size_t>(WallEvent::some_waiting);
        event.period = event.lengths ? 1 : 0;  // 1: none is missing
        add(kWallEventNames[i]);
      }
    } else {
      event.inherited = false;  // no thread's start lacks its samples
      event.lengths = true;
      event.period = each_sampled_ ? 1 : 0;
      add(kStateEventNames[kWaiting]);
      add(kStateEventNames[kReady]);
      const auto clock = std::ranges::find_if(recording.events, perfdata::is_clock);
      if (view_ == WallView::together && clock != recording.events.end()) {
        event = *clock;
        event.ids.clear();
        add(kStateEventNames[kRunning]);
      }
      perfdata::EventSum& sum = description_.sums.emplace_back();
      sum.name = view_ == WallView::off_cpu ? kOffCpuEvent : kWallEvent;
      for (std::size_t i = 0; i < description_.events.size(); ++i) sum.parts.push_back(i);
    }
    if (!description_.counted.empty()) description_.counted.resize(description_.events.size());
  }

  // Returns what is to be yielded in the record's place, unless that is in `made_`.
  const Record* take(const Record& record) {
    const auto* sample = std::get_if<Sample>(&record.what);
    const auto& events = inner_->description().events;
    if (sample != nullptr && wakes_[sample->event]) {
      wake(record, *sample, *wakes_[sample->event]);
      return nullptr;
    }
    const bool of_switch = sample != nullptr && is_switches(events[sample->event]);
    if (weights_.end_before(record.time_ns.value_or(0))) release();
    const auto absence = states_.add(record, of_switch);
    if (of_switch) {
      if (sample->tid) left_.insert_or_assign(*sample->tid, KeptSample(*sample));
      any_sample_ = true;
      return nullptr;
    }
    if (const auto* moved = std::get_if<perfdata::Switch>(&record.what)) {
      if (absence) absent(*absence);
      if (!moved->out)
        left_.erase(moved->tid);
      else if (moved->tid > 0)
        weights_.add(record.time_ns.value_or(0), left_.contains(moved->tid));
      return nullptr;
    }
    if (const auto* exit = std::get_if<perfdata::Exit>(&record.what)) {
      left_.erase(exit->tid);
      wakers_.erase(exit->tid);
    }
    if (sample != nullptr && is_clock(events[sample->event]))
      clock_ns_ += clock_period(*sample, events[sample->event]);
    if (sample == nullptr || view_ == WallView::apart) return &record;
    if (view_ == WallView::off_cpu || !is_clock(events[sample->event])) return nullptr;
    Record& made = made_.emplace_back(record);
    auto& running = std::get<Sample>(made.what);
    running.event = kRunning;
    const std::uint64_t period = clock_period(running, events[sample->event]);
    running.period =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(period) * scales_.running));
    return nullptr;
  }

  void wake(const Record& record, const Sample& sample, const WakeFields& fields) {
    const perfdata::Description& recording = inner_->description();
    const RecordedEvent& event = recording.events[sample.event];
    if (!read_sample_details(record.body, event, recording.swapped, details_)) return;
    const auto value_at = [&](const perfdata::TracepointField& field) -> std::uint32_t {
      if (field.offset > details_.raw.size() || field.size > details_.raw.size() - field.offset)
        return 0;
      perfdata::Cursor cursor(details_.raw.subspan(field.offset, field.size), recording.swapped);
      return field.size == 1 ? cursor.u8() : cursor.u32();
    };
    constexpr std::uint32_t kHardInterrupt = 0x08, kSoftInterrupt = 0x10;  // TRACE_FLAG_*IRQ
    const auto woken = static_cast<std::int32_t>(value_at(fields.tid));
    const std::uint32_t flags = value_at(fields.flags);
    const std::int32_t waker = (flags & kHardInterrupt) != 0 ? 0 : sample.tid.value_or(0);
    const bool in_softirq = (flags & kSoftInterrupt) != 0;
    if (!states_.waits(woken)) return;
    // Where each wake-up also has a sample without a chain, these samples tell the times: those
    // with chains are paused more often.
    if (!fields.has_chain || !some_have_none_)
      states_.wake(woken, record.time_ns.value_or(0), waker, in_softirq);
    if (view_ != WallView::apart || (!fields.has_chain && some_have_chains_)) return;
    Sample kept = sample;
    if (waker == 0) {  // what was interrupted has nothing to do with it
      kept.pid = kept.tid = 0;
      const auto user = std::ranges::find(kept.chain, perfdata::kUserMark);
      kept.chain = kept.chain.first(static_cast<std::size_t>(user - kept.chain.begin()));
      kept.user_abi = 0;
      kept.user_registers = {};
      kept.user_stack = {};
    }
    wakers_.try_emplace(woken, kept);
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

  // Keeps an absence until it is known how many others it stands for.
  void absent(const TimeOff& off) {
    Absence absence{.off = off, .left = {}, .waker = take(wakers_, off.tid)};
    if (off.by_switch) absence.left = take(left_, off.tid);
    absence.off.sampled = absence.left.has_value();
    absences_.push_back(absence.off);
    const bool was_paused = off.by_switch && any_sample_;
    if (!was_paused || weights_.at(off.begin_ns))
      complete_.push_back(std::move(absence));
    else if (absence.left || is_alone(off))
      held_.push_back(std::move(absence));
  }

  // Whether no sampled time stands for a part of this one, which has no sample.
  bool is_alone(const TimeOff& off) const {
    return scales_.waits.is_alone(off, PartOff::first) ||
           (off.woken_ns && scales_.waits.is_alone(off, PartOff::woken));
  }

  void release() {
    for (Absence& absence : held_) complete_.push_back(std::move(absence));
    held_.clear();
  }

  // Makes the samples of an absence. It has none if it is one of those that others stand for.
  void make(const Absence& absence) {
    const TimeOff& off = absence.off;
    const bool was_paused = off.by_switch && any_sample_;
    const double weight = was_paused ? weight_at(off.begin_ns) : 1;
    if (weight != 1) each_sampled_ = false;
    // A part without a sample: 0 if others stand for it.
    const auto weight_of = [&](PartOff part) {
      if (absence.left || !was_paused) return scales_.waits.of(off, part, weight);
      return weight != 1 && scales_.waits.is_alone(off, part) ? 1.0 : 0.0;
    };
    if (was_paused && !absence.left && (weight == 1 || !is_alone(off))) return;
    Sample sample = absence.left ? absence.left->sample() : Sample{};
    if (!sample.ip) sample.ip = 0;  // a place that no code has
    sample.pid = off.pid;
    sample.tid = off.tid;
    // A length of time at the place of a sample. `at_ns` is the time of what is made.
    const auto add_event = [&](std::size_t event, const Sample& of, std::uint64_t length_ns,
                               std::uint64_t at_ns, double stands_for) {
      if (stands_for == 0) return;
      Sample made = of;
      made.event = first_made_ + event;
      made.time_ns = at_ns;
      made.period =
          static_cast<std::uint64_t>(std::llround(static_cast<double>(length_ns) * stands_for));
      made_.push_back({.time_ns = at_ns, .body = {}, .what = made});
    };
    const std::uint64_t woken = off.woken_or_end_ns();
    if (view_ != WallView::apart) {
      const auto add_state = [&](std::size_t event, PartOff part, std::uint64_t begin_ns,
                                 std::uint64_t end_ns) {
        const double stands_for = weight_of(part);
        if (times_.empty()) add_event(event, sample, end_ns - begin_ns, begin_ns, stands_for);
        for (const auto& [from_ns, to_ns] : times_)
          if (from_ns < end_ns && begin_ns < to_ns)
            add_event(event, sample, std::min(to_ns, end_ns) - std::max(from_ns, begin_ns),
                      std::max(from_ns, begin_ns), stands_for);
      };
      add_state(off.state == ThreadState::ready ? kReady : kWaiting, PartOff::first, off.begin_ns,
                woken);
      if (off.woken_ns) add_state(kReady, PartOff::woken, woken, off.end_ns);
      return;
    }
    const auto add = [&](WallEvent event, const Sample& of, std::uint64_t length_ns,
                         std::uint64_t at_ns) {
      add_event(static_cast<std::size_t>(event), of, length_ns, at_ns, weight);
    };
    const bool each = weight == 1;
    if (off.state == ThreadState::ready)
      return add(each ? WallEvent::ready : WallEvent::some_ready, sample, off.length_ns(),
                 off.begin_ns);
    add(each ? WallEvent::waiting : WallEvent::some_waiting, sample, woken - off.begin_ns,
        off.begin_ns);
    if (off.woken_ns)
      add(each ? WallEvent::woken : WallEvent::some_woken, sample, off.end_ns - woken, woken);
    if (!absence.waker) return;
    const std::uint64_t over =
        std::clamp(off.woken_ns.value_or(absence.waker->time_ns()), off.begin_ns, off.end_ns);
    add(each ? WallEvent::waker : WallEvent::some_waker, absence.waker->sample(),
        over - off.begin_ns, over);
    if (!off.woken_ns) add(WallEvent::late, sample, off.end_ns - over, over);
  }

  void end() {
    ended_ = true;
    describe();
    if (view_ == WallView::together && !damage_ && !has_clock(inner_->description()))
      damage_ = no_clock().error();  // of a stream
    weights_.end();
    release();
    for (const TimeOff& off : states_.finish(!of_cpus_, description_.end_ns)) absent(off);
    absences_.insert(absences_.end(), states_.unknown().begin(), states_.unknown().end());
    std::ranges::stable_sort(absences_, {}, &TimeOff::begin_ns);
  }

  std::unique_ptr<perfdata::Reader> inner_;
  WallView view_;
  WallScales scales_;
  Description description_;
  std::size_t events_ = 0;      // of the recording itself
  std::size_t first_made_ = 0;  // in description_.events
  bool of_cpus_ = false;        // whole CPUs were sampled
  bool any_sample_ = false;
  bool each_sampled_ = true;    // no switch stands for others
  std::uint64_t clock_ns_ = 0;  // that the samples of running time stand for
  ThreadStates states_;
  KeptSamples left_;    // taken when the thread last left its CPU
  KeptSamples wakers_;  // taken when this thread was woken
  SwitchWeights weights_;
  std::vector<Absence> held_;                               // as long as their weight is not known
  std::deque<Absence> complete_;                            // to be yielded
  std::optional<Absence> last_;                             // to which `made_` refers
  std::vector<std::optional<WakeFields>> wakes_;            // by event of the recording
  bool some_have_chains_ = false, some_have_none_ = false;  // of them
  perfdata::SampleDetails details_;
  std::vector<TimeOff> absences_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> times_;  // to which waits are cut
  std::vector<Record> made_;                                    // in the place of the last record
  std::size_t yielded_ = 0;                                     // of them
  bool ended_ = false;
  std::optional<Error> damage_;  // that ended the recording
};

}  // namespace

const WallReader& wall_reader(const perfdata::Reader& reader) {
  return dynamic_cast<const WallReader&>(reader);
}

WallScales wall_scales(const WallReader& read) {
  return {WaitWeights(read.absences(), [&](const TimeOff& off) { return read.base_weight(off); }),
          read.running_scale()};
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

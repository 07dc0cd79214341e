#include "wall/wall_reader.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash_seed.hpp"

namespace tacho {
namespace {

using perfdata::Description, perfdata::Record, perfdata::RecordedEvent, perfdata::Sample;

constexpr std::uint32_t kSoftware = 1;          // PERF_TYPE_SOFTWARE
constexpr std::uint64_t kContextSwitches = 3;   // PERF_COUNT_SW_CONTEXT_SWITCHES
constexpr std::uint64_t kDummy = 9;             // PERF_COUNT_SW_DUMMY
constexpr std::uint64_t kSampledCpu = 1U << 7;  // PERF_SAMPLE_CPU

bool is_switches(const RecordedEvent& event) {
  return event.type == kSoftware && event.config == kContextSwitches;
}

// The sample of a switch, which outlives the record it came in.
class KeptSample {
 public:
  // `period`: one switch in so many has a sample.
  void keep(const Sample& sample, std::uint64_t period) {
    if (full_ && period_ <= period) return;  // of the same switch
    period_ = period;
    sample_ = sample;
    chain_.assign(sample.chain.begin(), sample.chain.end());
    registers_.assign(sample.user_registers.begin(), sample.user_registers.end());
    stack_.assign(sample.user_stack.begin(), sample.user_stack.end());
    full_ = true;
  }
  // With the period of its event. Each is taken once.
  std::optional<Sample> take() {
    if (!std::exchange(full_, false)) return std::nullopt;
    sample_.period = period_;
    Sample sample = sample_;
    sample.chain = chain_;
    sample.user_registers = registers_;
    sample.user_stack = stack_;
    sample.branches = {};
    return sample;
  }

 private:
  Sample sample_;
  std::vector<std::uint64_t> chain_, registers_;
  std::vector<std::byte> stack_;
  std::uint64_t period_ = 1;
  bool full_ = false;
};

class SwitchReader final : public WallReader {
 public:
  SwitchReader(std::unique_ptr<perfdata::Reader> inner, WallView view)
      : inner_(std::move(inner)), view_(view) {
    describe();
    if (description_.begin_ns) states_.begin(*description_.begin_ns);
  }

  Result<const Record*> next() override {
    for (;;) {
      if (ended_) return next_open();
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

 private:
  // The description of the recording, with the events that take the place of switches behind its
  // own. Each is like the event that takes a sample at each switch, so that chains are read alike.
  void describe() {
    description_ = inner_->description();
    events_ = description_.events.size();
    auto found = std::ranges::find_if(description_.events, is_switches);
    if (found == description_.events.end())
      found = std::ranges::find_if(description_.events, &RecordedEvent::tells_switches);
    if (found == description_.events.end()) return;
    of_cpus_ = (found->sample_type & kSampledCpu) != 0;
    RecordedEvent event = *found;
    event.ids.clear();
    // Their samples are not shown: others take their place.
    if (view_ != WallView::apart)
      for (RecordedEvent& each : description_.events) {
        each.type = kSoftware;
        each.config = kDummy;
        each.inherited = false;
      }
    const auto add = [&](std::string_view name) {
      event.name = name;
      description_.events.push_back(event);
    };
    event.type = kSoftware;
    event.config = kContextSwitches;
    event.frequency = 0;
    event.lengths = view_ == WallView::apart || each_was_sampled();
    event.period = event.lengths ? 1 : 0;  // 1: none is missing
    if (view_ == WallView::off_cpu) return add(kOffCpuEvent);
    if (view_ == WallView::apart) {
      add(kWaitingEvent);
      add(kReadyEvent);
    }
    event.period = 0;
    event.lengths = false;
    if (view_ == WallView::apart) {
      add(kSomeWaitingEvent);
      add(kSomeReadyEvent);
    } else {
      event.config = 0;  // cpu-clock: samples stand for nanoseconds
      add(kWallEvent);
    }
    if (!description_.counted.empty()) description_.counted.resize(description_.events.size());
  }

  // Whether each switch has a sample: the recorder never paused the event that takes them.
  bool each_was_sampled() const {
    const Description& recording = inner_->description();
    std::optional<perfdata::OptionalU64> counted;
    for (std::size_t i = 0; i < recording.events.size(); ++i) {
      if (!is_switches(recording.events[i])) continue;
      const auto count = i < recording.counted.size() ? recording.counted[i] : std::nullopt;
      if (counted && *counted != count) return false;
      counted = count;
    }
    return counted && *counted;
  }

  // Returns what is to be yielded in the record's place, if anything.
  const Record* take(const Record& record) {
    const auto* sample = std::get_if<Sample>(&record.what);
    const auto& events = inner_->description().events;
    const bool of_switch = sample != nullptr && is_switches(events[sample->event]);
    const auto absence = states_.add(record, of_switch);
    if (of_switch) {
      const std::uint64_t period = events[sample->event].period;
      if (sample->tid)
        left_[*sample->tid].keep(*sample, period > 0 ? period : sample->period.value_or(1));
      any_sample_ = true;
      return nullptr;
    }
    if (std::holds_alternative<perfdata::Switch>(record.what))
      return absence ? absent(*absence) : nullptr;
    if (const auto* exit = std::get_if<perfdata::Exit>(&record.what)) left_.erase(exit->tid);
    if (sample == nullptr || view_ == WallView::apart) return &record;
    if (view_ == WallView::off_cpu || !is_clock(events[sample->event])) return nullptr;
    made_ = record;
    std::get<Sample>(made_.what).event = events_;
    return &made_;
  }

  // Returns nullptr if the switch is one of those that others stand for.
  const Record* absent(const TimeOff& absence) {
    auto sample = absence.by_switch ? left_[absence.tid].take() : std::nullopt;
    if (!sample && absence.by_switch && any_sample_) return nullptr;
    if (!sample) sample.emplace();
    if (!sample->ip) sample->ip = 0;  // a place that no code has
    const std::uint64_t stands_for = sample->period.value_or(1);
    sample->event = events_;
    if (view_ == WallView::apart)
      sample->event += (absence.state == ThreadState::ready ? 1U : 0U) + (stands_for > 1 ? 2U : 0U);
    sample->pid = absence.pid;
    sample->tid = absence.tid;
    sample->time_ns = absence.begin_ns;
    sample->period = absence.length_ns() * (view_ == WallView::apart ? 1 : stands_for);
    made_ = Record{.time_ns = absence.begin_ns, .body = {}, .what = *sample};
    return &made_;
  }

  void end() {
    ended_ = true;
    describe();
    open_ = states_.finish(!of_cpus_, description_.end_ns);
  }

  Result<const Record*> next_open() {
    while (opened_ < open_.size())
      if (const Record* const record = absent(open_[opened_++])) return record;
    if (damage_) return std::unexpected(*damage_);
    return nullptr;
  }

  std::unique_ptr<perfdata::Reader> inner_;
  WallView view_;
  Description description_;
  std::size_t events_ = 0;  // of the recording itself
  bool of_cpus_ = false;    // whole CPUs were sampled
  bool any_sample_ = false;
  ThreadStates states_;
  // By tid: the sample that was taken when the thread last left its CPU.
  std::unordered_map<std::int32_t, KeptSample, NumberHash> left_;
  Record made_;
  bool ended_ = false;
  std::optional<Error> damage_;  // that ended the recording
  std::vector<TimeOff> open_;    // not over at the end
  std::size_t opened_ = 0;       // of them that were yielded
};

}  // namespace

const ThreadStates& states_of(const perfdata::Reader& reader) {
  return dynamic_cast<const WallReader&>(reader).states();
}

Result<std::unique_ptr<WallReader>> open_wall_reader(std::unique_ptr<perfdata::Reader> reader,
                                                     WallView view) {
  if (!std::ranges::any_of(reader->description().events, &RecordedEvent::tells_switches) &&
      !reader->description().pipe)
    return failure("the recording does not tell when threads waited",
                   "record with: tacho record --wall -- COMMAND…");
  if (view == WallView::together && !reader->description().pipe &&
      std::ranges::none_of(reader->description().events, perfdata::is_clock))
    return failure("the recording has no samples of running time (cpu-clock)",
                   "show the waits alone: --off-cpu; or record with --wall");
  return std::make_unique<SwitchReader>(std::move(reader), view);
}

}  // namespace tacho

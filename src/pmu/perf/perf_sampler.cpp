#include "pmu/perf/perf_sampler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <variant>

#include "base/cpus.hpp"
#include "base/privileges.hpp"
#include "events/generic_names.hpp"
#include "pmu/perf/clock_periods.hpp"
#include "pmu/perf/fallbacks.hpp"
#include "pmu/perf/perf_open.hpp"
#include "pmu/perf/ring.hpp"
#include "pmu/perf/sampling_refused.hpp"
#include "pmu/targets.hpp"

namespace tacho {
namespace {

constexpr double kSecond = 1e9;  // ns

// Rules of dithering. bench/share_coverage.py measures their effect on the intervals of shares.
struct Dither {
  // The period is drawn evenly within this part of the wanted one, up and down, so the wanted
  // frequency is the average one. If a program's rhythm is close to the period, few draws stay in
  // step with it.
  static constexpr double kWidest = 0.5;
  // Fewest samples of a buffer between two draws. A draw begins the period anew, and what the
  // thread did in the last one stays without a sample. So at most one period in 500 is lost, even
  // for a thread that works in bursts that are shorter than a period.
  static constexpr std::uint64_t kFewestSamples = 500;
};

struct Buffer {
  int cpu = -1;
  int descriptor = -1;  // the event whose buffer was mapped
  Ring ring;
  std::uint64_t samples = Dither::kFewestSamples;  // since the last draw; the first one is due
  double stretch = 0;  // of all periods, by the last draw; 0: no clock has a drawn period
};

// The options of the command, where the event's name does not say otherwise.
constexpr std::size_t kUsualRing = std::size_t{512} << 10;  // bytes of the buffer of each CPU

// Copies of stacks fill a buffer fast: with the usual one, some were lost where all CPUs were busy.
// A larger one needs the right to lock as much memory, for otherwise the last CPUs would get
// little.
std::size_t ring_for_stacks() {
  constexpr std::size_t kLarge = std::size_t{2} << 20, kMostOfAll = std::size_t{256} << 20;
  const std::size_t all = kLarge * std::max<std::size_t>(online_cpus().size(), 1);
  rlimit limit{};
  const bool has_room = ::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur >= all;
  return all <= kMostOfAll && (has_room || may_lock_memory()) ? kLarge : kUsualRing;
}

SampleSpec spec_of(const Event& event, SampleSpec spec) {
  if (event.sampling.without_chain) spec.chains = SampleSpec::Chains::none;
  if (event.sampling.period) spec.period = event.sampling.period;
  if (event.sampling.frequency) {
    spec.period.reset();
    spec.frequency = *event.sampling.frequency;
  }
  return spec;
}

class PerfSampler final : public Sampler {
 public:
  static Result<std::unique_ptr<Sampler>> open(std::span<const EventGroup> groups,
                                               const Target& target, Start start,
                                               const SampleSpec& spec) {
    // A control group is sampled on each CPU, as CPUs are.
    const Cgroup* const cgroup = std::get_if<Cgroup>(&target);
    const bool of_threads = !is_of_cpus(target) && cgroup == nullptr;
    std::unique_ptr<PerfSampler> made(new PerfSampler(of_threads));
    made->ready_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
    if (!made->ready_) return os_failure("cannot wait for samples", errno, "raise 'ulimit -n'");
    const pid_t everything = cgroup != nullptr ? cgroup->directory : -1;
    const auto threads =
        of_threads ? places(target) : Result<std::vector<Place>>({{everything, -1}});
    if (!threads) return std::unexpected(threads.error());
    std::vector<EventGroup> all(groups.begin(), groups.end());
    made->switched_ = spec.switched;
    if (spec.chains == SampleSpec::Chains::dwarf) made->ring_bytes_ = ring_for_stacks();
    if (auto tracker = spec.switched ? std::optional(own_tracker()) : tracker_elsewhere(groups))
      all.push_back({std::move(*tracker)});
    const bool several = all.size() > 1 || all.front().size() > 1;
    std::set<std::string> tracked;  // core PMUs with an event that tracks
    SampleSpec of_tracker = spec;
    of_tracker.branches = false;  // it takes no samples, and the kernel refuses them of software
    of_tracker.chains = SampleSpec::Chains::none;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const EventGroup& group = all[i];
      const bool by_leader = group.front().sampling.by_leader && group.size() > 1;
      const std::string& core_pmu = group.front().core_pmu;
      const auto cpus = TACHO_TRY(places(of_threads ? Target(EveryCpu{}) : target, group.front()));
      if (group.front().sampling.everywhere && of_threads &&
          made->open_everywhere(group.front(), cpus, start, spec))
        continue;
      std::vector<Instance> instances;
      for (const Place& cpu : cpus)
        for (const Place& thread : *threads)
          instances.push_back({.pid = thread.pid, .cpu = cpu.cpu, .leader = -1});
      for (const Event& event : group) {
        const bool tracks = spec.switched ? i >= groups.size()
                            : core_pmu.empty()
                                ? made->events_.empty()
                                : !tracked.contains("") && !tracked.contains(core_pmu);
        if (tracks) tracked.insert(core_pmu);
        const bool is_member = by_leader && &event != &group.front();
        const PerfOpen how{
            .cgroup = cgroup != nullptr,
            .start = spec.begins_off && i < groups.size() ? Start::stopped : start,
            .sampling = PerfSampling{.spec = spec_of(event, i < groups.size() ? spec : of_tracker),
                                     .tracks = tracks,
                                     .identified = several,
                                     .tells_cpu = !of_threads,
                                     .counts_group = by_leader,
                                     .is_member = is_member,
                                     .wakes_at = made->wakes_at()}};
        TACHO_TRY(made->open_member(event, how, instances));
        made->scopes_.push_back({.cpus = cpus.size(), .is_everywhere = false});
      }
    }
    if (spec.begins_off && start == Start::stopped)
      TACHO_TRY(made->turn(PERF_EVENT_IOC_ENABLE, Which::tracker));
    return made;
  }

  const std::vector<OpenedEvent>& events() const override { return events_; }
  Result<void> enable() override { return turn(PERF_EVENT_IOC_ENABLE, Which::all); }
  Result<void> disable() override { return turn(PERF_EVENT_IOC_DISABLE, Which::sampled); }
  Result<void> pause(std::size_t event, bool paused) override {
    for (const Opened& opened : opened_)
      if (opened.event == event)
        TACHO_TRY(turn(opened.fd, paused ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE));
    return {};
  }
  int descriptor() const override { return ready_.get(); }

  Result<void> drain(const Sink& sink) override {
    leave_what_hung_up();
    Result<void> done;
    for (Buffer& buffer : buffers_) {
      std::span<const std::byte> records = buffer.ring.records();
      if (draws_) records = note_samples(buffer, records);
      if (done && !records.empty()) done = sink(records);
      buffer.ring.release();
    }
    return done;
  }

  std::vector<std::optional<double>> coverage() const override {
    std::vector<std::optional<double>> parts(events_.size());
    const std::vector<Times> times = read_times().of_events;
    // The event of a thread on one CPU is also enabled while the thread runs on another CPU.
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (times[i].enabled_ns > 0)
        parts[i] =
            (of_threads_ && !scopes_[i].is_everywhere ? static_cast<double>(scopes_[i].cpus) : 1) *
            static_cast<double>(times[i].running_ns) / static_cast<double>(times[i].enabled_ns);
    return parts;
  }

  // Old kernels lose the enabled time of the parts on whose CPU a child never was, and others may
  // take the counters of hardware events. So the larger sum is the right one.
  std::optional<double> time_on_ns() const override {
    double longest = 0;
    const auto [times, whole] = read_times();
    if (!whole) return std::nullopt;
    for (std::size_t i = 0; i < times.size(); ++i)
      if ((!switched_ || !is_tracker(i)) && !scopes_[i].is_everywhere)
        longest = std::max(
            {longest, static_cast<double>(times[i].running_ns),
             static_cast<double>(times[i].enabled_ns) / static_cast<double>(scopes_[i].cpus)});
    return longest;
  }

  std::optional<double> most_samples() const override {
    double most = 0;
    const auto [times, whole] = read_times();
    if (!whole) return std::nullopt;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (drawn_[i].period > 0)
        most += static_cast<double>(times[i].count) / static_cast<double>(drawn_[i].period);
      // The kernel looks for the period of the rate, and draws go down to a half of it.
      constexpr double kAboveRate = 2;
      if (drawn_[i].frequency > 0 && events_[i].name != kTrackerName)
        most += kAboveRate * static_cast<double>(drawn_[i].frequency) *
                static_cast<double>(times[i].running_ns) / kSecond;
    }
    return most;
  }

  std::vector<std::optional<std::uint64_t>> counts() const override {
    std::vector<std::optional<std::uint64_t>> counts;
    for (const Times& times : read_times().of_events)
      counts.push_back(times.alone ? std::optional(times.count) : std::nullopt);
    return counts;
  }

  void dither(double draw) override {
    if (!draws_) return;
    for (Buffer& buffer : buffers_) {
      if (buffer.samples >= Dither::kFewestSamples) set_frequency(buffer, draw);
      // Another draw for each buffer: multiples of the golden ratio are far apart modulo 1.
      constexpr double kGoldenRatio = 0.6180339887498949;
      draw = std::fmod(draw + kGoldenRatio, 1.0);
    }
  }

 private:
  explicit PerfSampler(bool of_threads) : of_threads_(of_threads) {}

  bool is_tracker(std::size_t event) const { return events_[event].name == kTrackerName; }

  // What the kernel does with all leaders of groups, with those that sample, or with the tracker.
  enum class Which { all, sampled, tracker };
  Result<void> turn(unsigned long request, Which which) {
    for (const Opened& opened : opened_)
      if (opened.leads &&
          (which == Which::all || is_tracker(opened.event) == (which == Which::tracker)))
        TACHO_TRY(turn(opened.fd, request));
    return {};
  }
  static Result<void> turn(const Fd& leader, unsigned long request) {
    if (::ioctl(leader.get(), request, 0) != 0)
      return os_failure("cannot turn sampling on or off", errno);
    return {};
  }

  static Event own_tracker() {
    Event tracker = generic_event("dummy").value_or(Event());
    tracker.name = kTrackerName;
    tracker.exclude_kernel = tracker.exclude_hv = true;
    return tracker;
  }

  // One event on each CPU records mappings, names, forks and exits. On unequal cores, it is the
  // first event of each core PMU. If nothing is sampled on some of the CPUs, this returns an event
  // that only tracks there.
  static std::optional<Event> tracker_elsewhere(std::span<const EventGroup> groups) {
    if (groups.front().front().core_pmu.empty()) return std::nullopt;
    std::vector<int> left = online_cpus();
    for (const EventGroup& group : groups)
      if (const Event& event = group.front(); !event.core_pmu.empty())
        std::erase_if(left, [&](int cpu) { return counts_on(event, cpu); });
    if (left.empty()) return std::nullopt;
    Event tracker = own_tracker();
    tracker.core_pmu = "the other cores";
    tracker.cpus = fmt::format("{}", fmt::join(left, ","));
    return tracker;
  }

  // Of all parts of an event together.
  struct Times {
    std::uint64_t enabled_ns = 0, running_ns = 0;
    std::uint64_t count = 0;  // of the event, or of its group's leader
    bool alone = true;        // false: a reading had the counts of a whole group, or there was none
  };
  struct AllTimes {
    std::vector<Times> of_events;
    bool whole = true;  // each could be read
  };
  AllTimes read_times() const {
    AllTimes all{.of_events = std::vector<Times>(events_.size())};
    std::vector<Times>& times = all.of_events;
    for (const Opened& opened : opened_) {
      // The value, or the number of events in the group; the time enabled and the time running;
      // with a number of events, two words for each.
      std::vector<std::uint64_t> read(3 + 2 * events_.size());
      const ssize_t bytes = ::read(opened.fd.get(), read.data(), read.size() * sizeof read[0]);
      if (bytes < static_cast<ssize_t>(3 * sizeof read[0])) {
        all.whole = times[opened.event].alone = false;
        continue;
      }
      Times& sum = times[opened.event];
      sum.alone = sum.alone && !opened.reads_group;
      sum.enabled_ns += read[1];
      sum.running_ns += read[2];
      sum.count += opened.reads_group ? read[3] : read[0];
    }
    return all;
  }

  // A group on one thread and CPU. Its first event becomes the leader.
  struct Instance {
    pid_t pid = 0;
    int cpu = -1;
    int leader = -1;
  };

  // Opens an event for whatever runs on these CPUs. Returns false if the user may not do that, or
  // the kernel does not filter its samples.
  bool open_everywhere(const Event& event, const std::vector<Place>& cpus, Start start,
                       const SampleSpec& spec) {
    const auto before = static_cast<std::ptrdiff_t>(opened_.size());
    const PerfOpen how{
        .sampling =
            PerfSampling{.spec = spec_of(event, spec), .identified = true, .wakes_at = wakes_at()}};
    std::vector<Instance> instances;
    for (const Place& cpu : cpus) instances.push_back({.pid = -1, .cpu = cpu.cpu, .leader = -1});
    if (!open_event(event, how, instances, spec.kept_everywhere)) {
      opened_.erase(opened_.begin() + before, opened_.end());
      return false;
    }
    scopes_.push_back({.cpus = cpus.size(), .is_everywhere = true});
    // It is of no thread, so no exec turns it on.
    if (start == Start::at_exec && !spec.begins_off)
      for (const Opened& opened : opened_ | std::views::drop(before))
        ::ioctl(opened.fd.get(), PERF_EVENT_IOC_ENABLE, 0);
    return true;
  }

  // Opens the next event of a group. If it does not fit and the group may be divided, the event
  // leads a group of its own.
  Result<void> open_member(const Event& event, const PerfOpen& how,
                           std::vector<Instance>& instances) {
    const auto before = static_cast<std::ptrdiff_t>(opened_.size());
    auto done = open_event(event, how, instances);
    const bool joins = !instances.empty() && instances.front().leader >= 0;
    if (!done && event.weak && joins) {
      opened_.erase(opened_.begin() + before, opened_.end());
      for (Instance& instance : instances) instance.leader = -1;
      done = open_event(event, how, instances);
    }
    if (!done) return done;
    if (opened_[static_cast<std::size_t>(before)].leads)
      leader_ = events_.size() - 1;
    else
      ++events_[leader_].leads;
    return {};
  }

  Result<void> open_event(const Event& event, PerfOpen how, std::vector<Instance>& instances,
                          const std::string& kept = {}) {
    OpenedEvent sampled{.name = event.name, .attributes = {}, .ids = {}};
    OpenAttempt opened{event, how};
    const SampleSpec& spec = how.sampling->spec;
    const bool drawn = !spec.period && !how.sampling->is_member;
    Error last;
    std::vector<Instance> there;
    for (const Instance& instance : instances) {
      how.pid = instance.pid;
      how.cpu = instance.cpu;
      how.leader = instance.leader;
      OpenAttempt attempt{event, how};
      auto fd = open_with_fallbacks(attempt);
      if (!fd) {
        last = sampling_refused(fd.error(), event, how, spec);
        // A thread can end, and a CPU can go offline, between listing and opening.
        if (last.code != ESRCH && last.code != ENODEV) return std::unexpected(last);
        continue;
      }
      opened = std::move(attempt);
      std::uint64_t id = 0;
      if (::ioctl(fd->get(), PERF_EVENT_IOC_ID, &id) != 0)
        return os_failure("cannot learn the ID of an event", errno);
      if (!kept.empty() && ::ioctl(fd->get(), PERF_EVENT_IOC_SET_FILTER, kept.c_str()) != 0)
        return os_failure("cannot filter samples", errno);
      sampled.ids.push_back(id);
      if (auto joined = give_buffer(fd->get(), instance.cpu); !joined) return joined;
      const bool leads = instance.leader < 0;
      there.push_back({instance.pid, instance.cpu, leads ? fd->get() : instance.leader});
      opened_.push_back(
          {std::move(*fd), events_.size(), instance.cpu, leads, how.sampling->counts_group});
    }
    instances = std::move(there);
    if (sampled.ids.empty()) return std::unexpected(last);
    sampled.attributes = perf_attributes(opened.event, opened.how);
    events_.push_back(std::move(sampled));
    drawn_.push_back({.frequency = drawn ? spec.frequency : 0,
                      .period = how.sampling->is_member ? 0 : spec.period.value_or(0),
                      .clock = event.unit == "ns"});
    draws_ = draws_ || drawn;
    return {};
  }

  // For an event that is sampled by frequency, the kernel's "period" is that frequency. The clocks
  // are an exception: at opening, they convert it to a period (perf_swevent_init_hrtimer).
  void set_frequency(Buffer& buffer, double draw) {
    const double stretch = 1 + Dither::kWidest * (2 * draw - 1);
    for (const Opened& opened : opened_) {
      const Drawn& drawn = drawn_[opened.event];
      if (opened.cpu != buffer.cpu || drawn.frequency == 0) continue;
      const double frequency = stretched(drawn.frequency, stretch);
      std::uint64_t value =
          drawn.clock ? clock_period(frequency) : static_cast<std::uint64_t>(std::ceil(frequency));
      if (::ioctl(opened.fd.get(), PERF_EVENT_IOC_PERIOD, &value) == 0 && drawn.clock)
        buffer.stretch = stretch;
    }
    buffer.samples = 0;
  }

  // Frequency in Hz after a draw, which the kernel's limit bounds.
  double stretched(std::uint64_t frequency, double stretch) const {
    const double drawn = static_cast<double>(frequency) / stretch;
    return highest_ ? std::min(drawn, static_cast<double>(*highest_)) : drawn;
  }

  static std::uint64_t clock_period(double frequency) {
    return std::max(kShortestClockPeriod, static_cast<std::uint64_t>(kSecond / frequency));
  }

  // Counts the samples since the last draw, and returns the records with the right periods of
  // clocks. They are a copy then, because the kernel's buffer cannot be written to.
  std::span<const std::byte> note_samples(Buffer& buffer, std::span<const std::byte> records) {
    buffer.samples += count_samples(records);
    if (buffer.stretch == 0) return records;
    corrected_.assign(records.begin(), records.end());
    const bool several = events_.size() > 1;
    // The fields are: header, identifier (if there are several events), IP, TID, TIME, CPU (if CPUs
    // are sampled), PERIOD.
    constexpr std::size_t kWord = 8;
    const std::size_t words = 4U + (several ? 1U : 0U) + (of_threads_ ? 0U : 1U);
    for (std::size_t i = 0; i < events_.size(); ++i)
      if (const Drawn& drawn = drawn_[i]; drawn.clock && drawn.frequency > 0)
        correct_clock_periods(corrected_, {.id = several ? kWord : 0, .period = words * kWord},
                              events_[i].ids, static_cast<std::uint64_t>(kSecond) / drawn.frequency,
                              clock_period(stretched(drawn.frequency, buffer.stretch)));
    return corrected_;
  }

  Result<void> give_buffer(int fd, int cpu) {
    const auto there = std::ranges::find(buffers_, cpu, &Buffer::cpu);
    if (there != buffers_.end()) {
      if (::ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, there->descriptor) == 0) return {};
      return os_failure("cannot share a buffer for samples", errno);
    }
    auto ring = TACHO_TRY(Ring::map(fd, ring_bytes_));
    buffers_.push_back({.cpu = cpu, .descriptor = fd, .ring = std::move(ring)});
    if (wait_for(fd)) return {};
    return os_failure("cannot wait for samples", errno);
  }

  // A large buffer leaves room for what comes until the reader has a CPU. A small one would be
  // full.
  std::uint32_t wakes_at() const { return ring_bytes_ > kUsualRing ? kUsualRing / 2 : 0; }

  bool wait_for(int fd) {
    epoll_event wanted{.events = EPOLLIN, .data = {.fd = fd}};
    return ::epoll_ctl(ready_.get(), EPOLL_CTL_ADD, fd, &wanted) == 0;
  }

  // The event of a thread that has ended, with all its descendants, is always readable. Instead,
  // the next event that writes to the same buffer is waited for.
  void leave_what_hung_up() {
    std::array<epoll_event, 16> ready{};
    const int count = ::epoll_wait(ready_.get(), ready.data(), ready.size(), 0);
    for (const epoll_event& event :
         std::span(ready).first(static_cast<std::size_t>(std::max(count, 0))))
      if ((event.events & EPOLLHUP) != 0) {
        ::epoll_ctl(ready_.get(), EPOLL_CTL_DEL, event.data.fd, nullptr);
        const auto ended = std::ranges::find_if(
            opened_, [&](const Opened& each) { return each.fd.get() == event.data.fd; });
        const auto next = std::find_if(std::next(ended), opened_.end(),
                                       [&](const Opened& each) { return each.cpu == ended->cpu; });
        if (next != opened_.end()) wait_for(next->fd.get());
      }
  }

  struct Opened {
    Fd fd;
    std::size_t event = 0;     // in events_
    int cpu = -1;              // it writes to the buffer of this CPU
    bool leads = true;         // it is the leader of its group, which may be itself alone
    bool reads_group = false;  // read(2) gives its group's counts
  };

  // Where an event is opened.
  struct Scope {
    std::size_t cpus = 1;
    bool is_everywhere = false;  // on these CPUs, whatever runs there
  };

  // How the sampling periods of an event are drawn.
  struct Drawn {
    std::uint64_t frequency = 0;  // Hz; 0: they are not
    std::uint64_t period = 0;     // if they are not: the period; 0: it takes no samples
    bool clock = false;           // by a timer with a period
  };

  std::optional<std::uint64_t> highest_ = highest_frequency();
  bool of_threads_;        // samples threads; false: samples CPUs
  bool switched_ = false;  // SampleSpec::switched
  std::size_t ring_bytes_ = kUsualRing;
  std::vector<OpenedEvent> events_;
  std::vector<Scope> scopes_;  // of each event
  std::vector<Drawn> drawn_;
  bool draws_ = false;      // the periods of some event are drawn
  std::size_t leader_ = 0;  // in events_: of the last group
  Fd ready_;                // epoll
  std::vector<Opened> opened_;
  std::vector<Buffer> buffers_;
  std::vector<std::byte> corrected_;  // the records that drain() gives to its sink
};

}  // namespace

Result<std::unique_ptr<Sampler>> open_perf_sampler(std::span<const EventGroup> groups,
                                                   const Target& target, Start start,
                                                   const SampleSpec& spec) {
  return PerfSampler::open(groups, target, start, spec);
}

}  // namespace tacho

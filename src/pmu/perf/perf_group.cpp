#include "pmu/perf/perf_group.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "pmu/perf/call_observer.hpp"
#include "pmu/perf/fallbacks.hpp"
#include "pmu/perf/perf_open.hpp"
#include "pmu/targets.hpp"

namespace tacho {
namespace {

// The group on one thread or CPU.
struct Instance {
  int cpu = -1;               // -1: the group is on a thread
  std::vector<Fd> fds;        // the leader first
  std::vector<Reading> last;  // the last readings, in the order of `fds`
};

Result<Instance> open_instance(std::span<const Event> events, PerfOpen how) {
  Instance instance{.cpu = how.cpu, .fds = {}, .last = std::vector<Reading>(events.size())};
  for (const Event& event : events) {
    instance.fds.push_back(TACHO_TRY(open_with_fallbacks(event, how)));
    how.leader = instance.fds.front().get();
  }
  return instance;
}

// Turns the leader on or off; its siblings and inherited copies follow.
Result<void> turn(const Instance& instance, bool on) {
  const auto request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
  if (::ioctl(instance.fds.front().get(), request, 0) == 0) return {};
  return os_failure("cannot turn a counter group on or off", errno);
}

// read(2) of a leader returns { nr, time_enabled, time_running, value[nr] } with its own value
// first; read(2) of a sibling returns { value, time_enabled, time_running } (perf_event_open(2),
// PERF_FORMAT_GROUP). This is the index of a leader's first value.
constexpr std::size_t kValues = 3;

// Leaves errno as it is.
void note_reading(int fd, std::span<const std::uint64_t> buffer, ssize_t got) {
  PerfObserver* observer = perf_observer();
  if (observer == nullptr) return;
  const int code = got < 0 ? errno : 0;
  const auto words = got < 0 ? 0 : static_cast<std::size_t>(got) / sizeof(std::uint64_t);
  observer->read({.fd = fd, .words = buffer.first(words), .code = code});
  if (got < 0) errno = code;
}

// read(2). While a process that inherited the group ends, the kernel takes its events out one by
// one, and says ECHILD in between: this takes microseconds.
constexpr int kPatiently = 1'000;  // tries
constexpr int kShortly = 3;
ssize_t read_counters(int fd, std::span<std::uint64_t> buffer, int most_tries = kPatiently) {
  for (int i = 1;; ++i) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size_bytes());
    if (got >= 0 || errno != ECHILD || i == most_tries) {
      note_reading(fd, buffer, got);
      return got;
    }
    ::sched_yield();
  }
}

// The error of a read(2) that returned `got`. End of file means that the kernel gave up a pinned
// group because there was no counter for it.
std::unexpected<Error> unreadable(ssize_t got) {
  if (got < 0) return os_failure("cannot read a counter", errno);
  return failure("a pinned event lost its counter to another user of the PMU",
                 "leave out the modifier D, or end other users of the PMU");
}

// Reads each event separately, as is necessary after the kernel has split the group because its CPU
// went offline. Until then they counted together, so the leader's times hold for all.
Result<void> read_apart(Instance& instance, std::span<std::uint64_t> buffer) {
  for (std::size_t i = 0; i < instance.fds.size(); ++i) {
    const ssize_t got = read_counters(instance.fds[i].get(), buffer);
    if (got <= 0) return unreadable(got);
    if (i == 0)
      for (Reading& reading : instance.last) reading = {reading.value, buffer[1], buffer[2]};
    instance.last[i].value = i == 0 ? buffer[kValues] : buffer[0];
  }
  return {};
}

// Reads all events with one read(2). If the kernel has split the group, the result is too short, or
// the leader returns zeros for its siblings; then each event is read separately.
Result<void> read_together(Instance& instance, std::span<std::uint64_t> buffer) {
  const ssize_t got = read_counters(instance.fds.front().get(), buffer);
  if (got <= 0) return unreadable(got);
  const auto values = buffer.subspan(kValues);
  const auto kept = [](const Reading& last, std::uint64_t now) { return now >= last.value; };
  if (static_cast<std::size_t>(got) != buffer.size_bytes() ||
      !std::ranges::equal(instance.last, values, kept))
    return read_apart(instance, buffer);
  for (std::size_t i = 0; i < values.size(); ++i)
    instance.last[i] = {values[i], buffer[1], buffer[2]};
  return {};
}

// Opens the group so that what the target starts from now on inherits all of it. If the target
// forks while the group is half open, the child has only that half: the events would not count the
// same processes, and the kernel refuses to read the group (ECHILD) as long as the child lives.
// Such a group is opened anew.
Result<Instance> open_whole(std::span<const Event> events, const PerfOpen& how) {
  // The target must fork within some 10 µs of each try to exhaust them.
  constexpr int kMostTries = 100;
  const bool may_fork = how.pid > 0 && how.start != Start::at_exec && events.size() > 1;
  std::vector<std::uint64_t> buffer(kValues + events.size());
  for (int i = 0; i < kMostTries; ++i) {
    Instance instance = TACHO_TRY(open_instance(events, how));
    if (!may_fork || read_counters(instance.fds.front().get(), buffer, kShortly) >= 0 ||
        errno != ECHILD)
      return instance;
  }
  return failure("the process forks too often: its children never inherit all of these events",
                 "count fewer events at the same time, or launch the command with tacho", ECHILD);
}

// Whether what the target starts is counted, too.
bool inherits(const Target& target) {
  const auto alone = [](const auto& of) {
    if constexpr (requires { of.alone; }) return of.alone;
    return false;
  };
  return !std::visit(alone, target);
}

class PerfGroup final : public CounterGroup {
 public:
  using Clock = std::chrono::steady_clock;

  PerfGroup(std::vector<Instance> instances, std::span<const Event> events, const Target& target)
      : events_(events.begin(), events.end()),
        target_(target),
        instances_(std::move(instances)),
        kept_(events.size()),
        buffer_(kValues + events.size()) {}

  Result<void> enable() override { return turn_all(true); }
  Result<void> disable() override { return turn_all(false); }

  Result<void> read(std::span<Reading> readings) override {
    Result<void> done;
    std::ranges::copy(kept_, readings.begin());
    for (Instance& instance : instances_) {
      if (auto fresh = read_together(instance, buffer_); !fresh && done) done = fresh;
      for (std::size_t i = 0; i < readings.size(); ++i) readings[i] += instance.last[i];
    }
    if (std::holds_alternative<Cgroup>(target_)) correct_times(readings);
    return done;
  }

  Result<void> follow(int cpu, bool online) override {
    // The kernel moves the events of a PMU outside the core if its CPU goes offline.
    const Event& first = events_.front();
    if (!first.cpus.empty() && first.core_pmu.empty()) return {};
    if (!has(cpu)) return {};
    add_time_on();
    Result<void> done;
    const auto old = std::ranges::find(instances_, cpu, &Instance::cpu);
    if (old != instances_.end()) {
      done = read_apart(*old, buffer_);
      for (std::size_t i = 0; i < kept_.size(); ++i) kept_[i] += old->last[i];
      instances_.erase(old);
    }
    if (!online) return done;
    const Cgroup* const group = std::get_if<Cgroup>(&target_);
    auto opened = open_instance(
        events_,
        {.pid = group != nullptr ? group->directory : -1, .cgroup = group != nullptr, .cpu = cpu});
    if (!opened && opened.error().code == ENODEV) return done;  // it is offline again
    // The kernel knows best which core PMU a CPU has that was offline before.
    if (!opened && opened.error().code == ENOENT && !first.core_pmu.empty()) return done;
    if (!opened) return std::unexpected(opened.error());
    if (on_)
      if (auto on = turn(*opened, true); !on) done = on;
    instances_.push_back(std::move(*opened));
    return done;
  }

 private:
  Result<void> turn_all(bool on) {
    add_time_on();
    on_ = on;
    Result<void> done;
    for (const Instance& instance : instances_)
      if (auto turned = turn(instance, on); !turned && done) done = turned;
    return done;
  }

  // The kernel's times of a control group are wrong by minutes after an event was closed while the
  // group ran, and 0 while nothing runs in it (seen in Linux 6.18). Events of software always have
  // a counter, so they are on for as long as the group of events was, on each CPU.
  void correct_times(std::span<Reading> readings) {
    add_time_on();
    const auto longest = static_cast<std::uint64_t>(time_on_.count());
    const bool always_counts = std::ranges::all_of(
        events_, [](const Event& event) { return event.domain == Domain::software; });
    for (Reading& reading : readings) {
      if (always_counts || reading.enabled_ns == 0)
        reading.enabled_ns = reading.running_ns = longest;
      reading.enabled_ns = std::min(reading.enabled_ns, longest);
      reading.running_ns = std::min(reading.running_ns, reading.enabled_ns);
    }
  }

  // To be called before the group is turned on or off, and before its CPUs change.
  void add_time_on() {
    const auto now = Clock::now();
    if (on_) time_on_ += (now - noted_) * instances_.size();
    noted_ = now;
  }

  // Whether this CPU is one of the target's.
  bool has(int cpu) const {
    if (const SomeCpus* some = std::get_if<SomeCpus>(&target_))
      return std::ranges::find(some->cpus, cpu) != some->cpus.end();
    return std::holds_alternative<EveryCpu>(target_) || std::holds_alternative<Cgroup>(target_);
  }

  std::vector<Event> events_;
  Target target_;
  bool on_ = false;
  Clock::time_point noted_;
  std::chrono::nanoseconds time_on_{};  // until `noted_`, the sum of all CPUs
  std::vector<Instance> instances_;
  std::vector<Reading> kept_;  // counts of CPUs that have gone offline
  std::vector<std::uint64_t> buffer_;
};

}  // namespace

Result<std::unique_ptr<CounterGroup>> open_perf_group(std::span<const Event> events,
                                                      const Target& target, Start start) {
  const auto where = TACHO_TRY(places(target, events.front()));
  std::vector<Instance> instances;
  Error last;
  for (const Place& place : where) {
    auto instance = open_whole(events, {.pid = place.pid,
                                        .cgroup = std::holds_alternative<Cgroup>(target),
                                        .cpu = place.cpu,
                                        .start = start,
                                        .inherit = inherits(target)});
    if (instance) {
      instances.push_back(std::move(*instance));
    } else {
      last = instance.error();
      // A thread can end, and a CPU can go offline, between listing and opening.
      const bool gone = (last.code == ESRCH || last.code == ENODEV) && where.size() > 1;
      if (!gone) return std::unexpected(last);
    }
  }
  if (instances.empty()) return std::unexpected(last);
  return std::make_unique<PerfGroup>(std::move(instances), events, target);
}

}  // namespace tacho

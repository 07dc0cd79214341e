#include "counters.hpp"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace made_up {
namespace {

using tacho::Fd;

constexpr std::uint64_t kNone = 0;  // ids of the kernel begin with 1

std::uint64_t id_of(int descriptor) {
  std::uint64_t id = kNone;
  return ::ioctl(descriptor, PERF_EVENT_IOC_ID, &id) == 0 ? id : kNone;
}

constexpr std::uint64_t kNanoseconds = 1'000'000'000;  // in a second

std::uint64_t period_of(std::uint64_t frequency) {
  return std::max<std::uint64_t>(kNanoseconds / std::max<std::uint64_t>(frequency, 1), 1);
}

// The clock that stands for an event of a PMU. A task's clock is task-clock, a CPU's is cpu-clock.
perf_event_attr stand_in(const Call& call) {
  perf_event_attr attr = call.attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = PERF_ATTR_SIZE_VER7;
  attr.config = call.pid == -1 ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_TASK_CLOCK;
  attr.config1 = attr.config2 = 0;
  attr.precise_ip = 0;
  if (attr.freq != 0) {  // as the kernel does for clocks; its own maximum rate may be smaller
    attr.sample_period = period_of(attr.sample_freq);
    attr.freq = 0;
  }
  // A clock has no branch stack. A sample's weight is at the same place behind the call chain and
  // is 0: a branch stack without entries.
  if ((attr.sample_type & PERF_SAMPLE_BRANCH_STACK) != 0) {
    attr.sample_type ^= PERF_SAMPLE_BRANCH_STACK;
    attr.sample_type |= PERF_SAMPLE_WEIGHT;
  }
  attr.branch_sample_type = 0;
  return attr;
}

}  // namespace

Counters::Attempt Counters::open(const Member& member, int cpu, int leader) {
  const Call& call = member.call;
  const pid_t pid = call.pid == 0 ? call.thread : call.pid;
  std::vector<std::byte> raw = call.raw;
  perf_event_attr clock = stand_in(call);
  void* attr = raw.data();
  if (member.pmu != nullptr) attr = &clock;
  const long fd = ::syscall(SYS_perf_event_open, attr, pid, cpu, leader,
                            call.open_flags | PERF_FLAG_FD_CLOEXEC);
  const int code = fd < 0 ? errno : 0;
  return {Fd(static_cast<int>(fd)), code};
}

// The CPU of the event, as the kernel gets it. The events of a group have the same.
int Counters::cpu_for(const Decision& decision, const Call& call, const Group* group) const {
  if (decision.place == Place::nowhere && nowhere_ && call.pid != -1) return *nowhere_;
  if (decision.pmu == nullptr) return group != nullptr ? group->cpu : call.cpu;
  const bool everywhere = std::ssize(decision.pmu->cpus) == machine_.cpus;
  return !decision.pmu->core || everywhere ? call.cpu : decision.pmu->cpus.front();
}

// Takes siblings out that were closed meanwhile.
void Counters::forget_closed(const WaitingCall& waiting, Group& group) {
  if (waiting.process() != group.process) return;
  std::erase_if(group.events, [&](const Opened& opened) {
    return id_of(waiting.copy_of(opened.descriptor).get()) != opened.id;
  });
}

// Opens the events of a group anew on another CPU, under the same descriptors. Returns the new id.
std::optional<std::uint64_t> Counters::move(const WaitingCall& waiting, std::uint64_t leader,
                                            int cpu) {
  Group group = std::move(groups_.at(leader));
  groups_.erase(leader);
  group.cpu = cpu;
  Fd first;
  for (Opened& opened : group.events) {
    Attempt again = open(opened.member, cpu, first.get());
    if (!again.fd || waiting.put(again.fd.get(), opened.descriptor) < 0) return std::nullopt;
    opened.id = id_of(again.fd.get());
    if (!first) first = std::move(again.fd);
  }
  const std::uint64_t id = id_of(first.get());
  groups_[id] = std::move(group);
  return id;
}

// Opens the event and gives it to the caller. Returns its descriptor there, or minus errno.
int Counters::hand_out(const WaitingCall& waiting, const Decision& decision, std::uint64_t leader) {
  const bool leads = leader == kNone;
  const int cpu = cpu_for(decision, waiting.call(), leads ? nullptr : &groups_.at(leader));
  if (!leads && groups_.at(leader).cpu != cpu) {
    const auto moved = move(waiting, leader, cpu);
    if (!moved) return -EINVAL;
    leader = *moved;
  }
  const Fd first = leads ? Fd() : waiting.copy_of(waiting.call().group);
  const Member member{decision.pmu, waiting.call()};
  const Attempt attempt = open(member, cpu, first.get());
  if (!attempt.fd) return -attempt.code;
  const int descriptor = waiting.put(attempt.fd.get(), std::nullopt);
  if (descriptor < 0) return -EMFILE;
  const std::uint64_t id = id_of(attempt.fd.get());
  Group& group = groups_[leads ? id : leader];
  group.process = waiting.process();
  group.cpu = cpu;
  group.events.push_back({member, descriptor, id});
  return descriptor;
}

// The call that opened an event of a made-up PMU; null for other events.
const Call* Counters::made_up(std::uint64_t id) const {
  for (const auto& [leader, group] : groups_)
    for (const Opened& opened : group.events)
      if (opened.id == id && opened.member.pmu != nullptr) return &opened.member.call;
  return nullptr;
}

// A stand-in has a period where its event has a frequency. So a new frequency is translated.
std::string Counters::change_period(const WaitingCall& waiting) const {
  const PeriodChange& change = *waiting.period_change();
  const Fd event = waiting.copy_of(change.descriptor);
  const Call* opened = made_up(id_of(event.get()));
  int code = 0;
  if (opened == nullptr || opened->attr.freq == 0 || change.value == 0) {
    waiting.let_the_kernel_answer();
    return log_line(change.descriptor, change.value, code);
  }
  std::uint64_t period = period_of(change.value);
  if (::ioctl(event.get(), PERF_EVENT_IOC_PERIOD, &period) != 0) code = errno;
  if (code == 0)
    waiting.answer(0);
  else
    waiting.refuse(code);
  return log_line(change.descriptor, change.value, code);
}

std::string Counters::serve(const WaitingCall& waiting) {
  return waiting.period_change() ? change_period(waiting) : open_event(waiting);
}

std::string Counters::open_event(const WaitingCall& waiting) {
  const Call& call = waiting.call();
  std::uint64_t leader = kNone;
  std::vector<Member> group;
  if (call.group != -1) {
    leader = id_of(waiting.copy_of(call.group).get());
    if (!groups_.contains(leader)) {
      waiting.refuse(EBADF);
      return log_line(call, {EBADF, "", "the group's descriptor is not a leader"}, -1);
    }
    forget_closed(waiting, groups_.at(leader));
    for (const Opened& opened : groups_.at(leader).events) group.push_back(opened.member);
  }
  Decision decision = decide(machine_, call, group);
  if (decision.answer.code == E2BIG) waiting.write_size(machine_.attribute_bytes);
  // The attributes of probes point into the caller's memory.
  if (decision.answer.code == 0 && decision.answer.pmu == "other" && decision.pmu == nullptr) {
    waiting.let_the_kernel_answer();
    return log_line(call, decision.answer, -1);
  }
  const int descriptor =
      decision.answer.code == 0 ? hand_out(waiting, decision, leader) : -decision.answer.code;
  if (descriptor < 0) {
    decision.answer.code = -descriptor;
    waiting.refuse(-descriptor);
  } else {
    waiting.answer(descriptor);
  }
  return log_line(call, decision.answer, descriptor);
}

}  // namespace made_up

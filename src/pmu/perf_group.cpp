#include "pmu/perf_group.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>

#include "pmu/perf_open.hpp"
#include "pmu/targets.hpp"

namespace tacho {
namespace {

// The same group on one thread or CPU: the leader's descriptor first.
using Instance = std::vector<Fd>;

class PerfGroup final : public CounterGroup {
 public:
  PerfGroup(std::vector<Instance> instances, std::size_t events)
      : instances_(std::move(instances)), buffer_(3 + events) {}

  Result<void> enable() override { return turn(PERF_EVENT_IOC_ENABLE); }
  Result<void> disable() override { return turn(PERF_EVENT_IOC_DISABLE); }

  // Sums over the instances. One read(2) an instance: the layout is { nr, time_enabled,
  // time_running, value[nr] } (perf_event_open(2), PERF_FORMAT_GROUP).
  Result<void> read(std::span<Reading> readings) override {
    std::ranges::fill(readings, Reading{});
    for (const Instance& instance : instances_) {
      const std::size_t size = buffer_.size() * sizeof buffer_[0];
      const ssize_t got = ::read(instance.front().get(), buffer_.data(), size);
      if (got < 0) return os_failure("cannot read a counter", errno);
      // A pinned group that lost its counters reads as end of file.
      if (got == 0) continue;
      if (static_cast<std::size_t>(got) != size)
        return failure(fmt::format("a counter group gave {} bytes instead of {}", got, size),
                       "report this with the kernel's version");
      for (std::size_t i = 0; i < readings.size(); ++i) {
        readings[i].value += buffer_[3 + i];
        readings[i].enabled_ns += buffer_[1];
        readings[i].running_ns += buffer_[2];
      }
    }
    return {};
  }

 private:
  // Through the leader alone; inherited copies follow it.
  Result<void> turn(unsigned long request) {
    for (const Instance& instance : instances_)
      if (::ioctl(instance.front().get(), request, 0) != 0)
        return os_failure("cannot turn a counter group on or off", errno);
    return {};
  }

  std::vector<Instance> instances_;
  std::vector<std::uint64_t> buffer_;
};

Result<Instance> open_instance(std::span<const Event> events, PerfOpen how) {
  Instance instance;
  for (const Event& event : events) {
    auto fd = perf_open(event, how);
    if (!fd) return std::unexpected(fd.error());
    instance.push_back(std::move(*fd));
    how.leader = instance.front().get();
  }
  return instance;
}

}  // namespace

Result<std::unique_ptr<CounterGroup>> open_perf_group(std::span<const Event> events,
                                                      const Target& target, Start start) {
  const auto where = places(target, events.front().cpus);
  if (!where) return std::unexpected(where.error());
  std::vector<Instance> instances;
  Error last;
  for (const Place& place : *where) {
    auto instance = open_instance(events, {.pid = place.pid, .cpu = place.cpu, .start = start});
    if (instance) {
      instances.push_back(std::move(*instance));
    } else {
      last = instance.error();
      // A thread may end, and a CPU go offline, between listing and opening.
      const bool gone = (last.code == ESRCH || last.code == ENODEV) && where->size() > 1;
      if (!gone) return std::unexpected(last);
    }
  }
  if (instances.empty()) return std::unexpected(last);
  return std::make_unique<PerfGroup>(std::move(instances), events.size());
}

}  // namespace tacho

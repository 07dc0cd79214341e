// The events of the samples that take the place of switches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "perfdata/record.hpp"
#include "wall/wake_samples.hpp"

namespace tacho {

// What takes the place of the records of switches.
enum class WallView : std::uint8_t {
  none,      // the recording as it is
  apart,     // the same, and WallEvents behind its own events; the sum of what threads did
  off_cpu,   // events for the states of waiting and being ready; their sum is kOffCpuEvent
  together,  // the same, and one for the samples of running time; their sum is kWallEvent
};

// The events of WallView::apart. Each sample has its own length in nanoseconds, also where it
// stands for others.
enum class WallEvent : std::uint8_t {
  waiting,  // at the place where the thread left its CPU
  ready,    // the same for threads that could have run on
  waker,    // the wait that a wake-up ended, at the place of the waker and at that time
  late,     // ready after a wait, where `waiting` lasts until the thread gets a CPU
};
inline constexpr auto kWallEventNames =
    std::to_array<std::string_view>({"waiting", "ready", "waker", "late"});
// The parts of the sums.
inline constexpr auto kStateEventNames =
    std::to_array<std::string_view>({"waiting", "ready", "running"});
inline constexpr std::size_t kWaitingState = 0, kReadyState = 1, kRunningState = 2;  // in there
inline constexpr std::string_view kOffCpuEvent = "off-cpu", kWallEvent = "wall-clock";

// The description of a recording, with these events.
struct WaitDescription {
  perfdata::Description all;
  std::size_t own_events = 0;  // of the recording itself
  std::size_t first_made = 0;  // in all.events
  bool of_cpus = false;        // whole CPUs were sampled
};

// The made events stand behind the recording's own with WallView::apart, and else in their place.
// Each is like the event that takes a sample at each switch, so that chains are read alike.
// `each_sampled`: no switch stands for others.
WaitDescription describe_waits(const perfdata::Description& recording, WallView view,
                               const WakeSamples& wakes, bool each_sampled);

}  // namespace tacho

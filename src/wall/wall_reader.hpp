// Reads a recording in which each switch of a thread was recorded, and yields the time off the CPU
// as samples: each lasts from one switch to the next, and has the call chain of where the thread
// left its CPU. So whatever reads samples can show where threads waited.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time_span.hpp"
#include "perfdata/reader.hpp"
#include "wall/switch_windows.hpp"
#include "wall/thread_states.hpp"
#include "wall/wait_weights.hpp"

namespace tacho {

// What takes the place of the records of switches.
enum class WallView : std::uint8_t {
  none,      // the recording as it is
  apart,     // events of their own, for each state and for switches of which not each was sampled
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
inline constexpr std::string_view kOffCpuEvent = "off-cpu", kWallEvent = "wall-clock";

class WallReader : public perfdata::Reader {
 public:
  // So far.
  virtual const ThreadStates& states() const = 0;
  // The times off the CPU, and those that are not known. Complete, and in the order of time, when
  // the recording has been read.
  virtual const std::vector<TimeOff>& absences() const = 0;
  // Waits are cut to these times, which are in order, and of which none overlaps the next. Not for
  // WallView::apart. Called before the first record is read.
  virtual void cut_to(std::vector<TimeSpan> times) = 0;
  // The number of events of the recording itself. WallEvents follow them.
  virtual std::size_t own_events() const = 0;
  // Wake-ups are recorded: not for each wait if the recorder paused them.
  virtual bool tells_wakes() const = 0;
  // How many switches each sampled one stands for that was at this time. 1: each was sampled.
  virtual double weight_at(std::uint64_t time_ns) const = 0;
  // The running time of all threads for a nanosecond that the samples of a clock stand for.
  virtual double running_scale() const = 0;
  // How much a sampled time off the CPU stands for, at first. Only switches are sampled in windows.
  double base_weight(const TimeOff& off) const {
    return off.by_switch ? weight_at(off.begin_ns) : 1;
  }
};

// What only the whole recording tells: how much each sample stands for.
struct WallScales {
  WaitWeights waits;
  double running = 1;  // counted nanoseconds for one that the samples of a clock stand for
};
// `read` has read the whole recording.
WallScales wall_scales(const WallReader& read);

// The reader must be a WallReader.
const WallReader& wall_reader(const perfdata::Reader& reader);

// `scales`: for the views that yield weighted samples; without them, the samples of a window have
// the same weight. Error: the recording has no records of switches.
Result<std::unique_ptr<WallReader>> open_wall_reader(std::unique_ptr<perfdata::Reader> reader,
                                                     WallView view, WallScales scales = {});

}  // namespace tacho

// Reads a recording in which each switch of a thread was recorded, and yields the time off the CPU
// as samples: each lasts from one switch to the next, and has the call chain of where the thread
// left its CPU. So whatever reads samples can show where threads waited.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "base/time_span.hpp"
#include "perfdata/reader.hpp"
#include "wall/switch_weights.hpp"
#include "wall/thread_states.hpp"
#include "wall/wait_weights.hpp"
#include "wall/wall_events.hpp"

namespace tacho {

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
  // Also those by interrupts, and by threads that are not recorded.
  virtual bool tells_others_wakes() const = 0;
  // How many switches each sampled one stands for, by its time. 1: each was sampled.
  virtual const SwitchWeights& switch_weights() const = 0;
  // The running time of all threads for a nanosecond that the samples of a clock stand for.
  virtual double running_scale() const = 0;
  // How much a sampled time off the CPU stands for, at first. Only switches are sampled in windows.
  double base_weight(const TimeOff& off) const {
    return off.by_switch ? switch_weights().at(off.begin_ns) : 1;
  }
};

// What only the whole recording tells: how much each sample stands for.
struct WallScales {
  WaitWeights waits;
  SwitchWeights switches;
  double running = 1;  // counted nanoseconds for one that the samples of a clock stand for
};
// `read` has read the whole recording. Sampled waits stand for others of the same threads alone:
// `chosen` says of which times off the CPU the report is.
WallScales wall_scales(
    const WallReader& read,
    const std::function<bool(const TimeOff&)>& chosen = [](const TimeOff&) { return true; });

// The reader must be a WallReader.
const WallReader& wall_reader(const perfdata::Reader& reader);

// `scales`: of a first reading, for the views that yield weighted samples. Error: the recording has
// no records of switches.
Result<std::unique_ptr<WallReader>> open_wall_reader(std::unique_ptr<perfdata::Reader> reader,
                                                     WallView view, WallScales scales = {});

}  // namespace tacho

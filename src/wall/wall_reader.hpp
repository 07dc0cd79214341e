// Reads a recording in which each switch of a thread was recorded, and yields the time off the CPU
// as samples: each lasts from one switch to the next, and has the call chain of where the thread
// left its CPU. So whatever reads samples can show where threads waited.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "perfdata/reader.hpp"
#include "wall/thread_states.hpp"

namespace tacho {

// Which samples take the place of the records of switches.
enum class WallView : std::uint8_t {
  none,      // the recording as it is
  apart,     // events of their own, for each state and for switches of which not each was sampled
  off_cpu,   // one event, kOffCpuEvent, and no other
  together,  // one event, kWallEvent, which also has the samples of the clock of running time
};

// The events of these samples. They count nanoseconds.
inline constexpr std::string_view kReadyEvent = "ready", kWaitingEvent = "waiting";
// The same where the recorder sampled only some switches. The others have no sample.
inline constexpr std::string_view kSomeReadyEvent = "ready, some",
                                  kSomeWaitingEvent = "waiting, some";
inline constexpr std::string_view kOffCpuEvent = "off-cpu", kWallEvent = "wall-clock";

class WallReader : public perfdata::Reader {
 public:
  virtual const ThreadStates& states() const = 0;
};

// The states of threads so far. The reader must be a WallReader.
const ThreadStates& states_of(const perfdata::Reader& reader);

// Error: the recording has no records of switches.
Result<std::unique_ptr<WallReader>> open_wall_reader(std::unique_ptr<perfdata::Reader> reader,
                                                     WallView view);

}  // namespace tacho

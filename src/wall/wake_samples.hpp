// The samples that the kernel takes when a thread is woken: those of the tracepoint sched_waking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "perfdata/reader.hpp"
#include "perfdata/recorded_tracepoints.hpp"
#include "perfdata/sample_details.hpp"

namespace tacho {

struct WakeUp {
  std::int32_t tid = 0;     // that was woken
  std::int32_t waker = 0;   // the thread that woke it; 0: an interrupt
  bool in_softirq = false;  // as in TimeOff
};

class WakeSamples {
 public:
  // Learns which events of a recording have such samples. The recording may tell more of them
  // later.
  void describe(const perfdata::Description& recording);

  // Whether the samples of this event are wake-ups.
  bool has(std::size_t event) const { return fields_[event].has_value(); }
  bool any() const;
  // Whether all wake-ups of a recorded thread have samples, and not only those by recorded threads.
  bool any_everywhere() const;
  // Whether samples of this event tell that a thread was woken. Where each wake-up also has a
  // sample without a call chain, these do: those with chains are paused more often.
  bool tell_times(std::size_t event) const;
  // Whether samples of this event tell where the waker was.
  bool tell_places(std::size_t event) const;

  // Nothing if the sample can't be read. `sample` is one of `record`, and of an event that has()
  // wake-ups.
  std::optional<WakeUp> read(const perfdata::Record& record, const perfdata::Sample& sample,
                             const perfdata::Description& recording);

 private:
  struct Fields {
    perfdata::TracepointField tid, flags;
    bool has_chain = false, everywhere = false;
  };
  static std::optional<Fields> fields_of(const perfdata::RecordedEvent& event);

  std::vector<std::optional<Fields>> fields_;  // by event of the recording
  bool some_have_chains_ = false, some_have_none_ = false;
  perfdata::SampleDetails details_;  // of the last sample
};

// The sample of a wake-up by an interrupt, without the thread that was interrupted: it has nothing
// to do with it.
perfdata::Sample without_thread(perfdata::Sample sample);

}  // namespace tacho

// The events that a profile has samples of, and which of them a user means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "perfdata/record.hpp"
#include "profile/profile.hpp"

namespace tacho {

struct SampledEvent {
  std::string name;
  SampleCount count;
  std::uint64_t period = 0, frequency = 0;  // one of them is given; both 0: it is not known
  std::uint64_t exact = 0;                  // samples without skid
  Unsampled unsampled;                      // what no sample can show
  bool clock = false;                       // it counts ns
  bool lengths = false;                     // its samples are times of different lengths, or some
  bool dummy = false;                       // it only records mappings, names, forks and exits
  // Its samples are places where threads waited, were woken, or were at the start; what they mean
  // is told by the reports of waits alone.
  bool of_waits = false;
  std::vector<std::size_t> parts = {};  // the events that it is the sum of; empty if it is no sum
  // How often it occurred in the whole recording; nothing if only the samples say it. And the
  // events for each one that the samples stand for: see Profile::scale.
  perfdata::OptionalU64 counted = {};
  double scale = 1;
  std::uint64_t not_ended = 0;  // part of `count` that may not have occurred
  std::size_t number = 0;       // of the event in the profile
  // False if it has no samples of its own and was only read with its group's leader (perf's
  // modifier S).
  bool is_sampled() const { return period > 0 || frequency > 0 || count.samples > 0; }
  // The number of events that a part with these samples has. It is rounded if `counted` is known.
  std::uint64_t occurred(const SampleCount& part) const;
  // From one sample of a clock to the next while it ran, in ns; 0 if it is no clock, or has no
  // sample.
  double interval_ns() const;
};

std::vector<SampledEvent> sampled_events(const Profile&, const perfdata::Description&);

// The events whose counts a report has in each of its rows.
struct ReportedEvents {
  std::vector<SampledEvent> events;  // in the order of the recording
  std::size_t event = 0;             // index of the chosen one
  std::size_t of_waits = 0;          // events that only the reports of waits show
  std::size_t left_out = 0;          // other events
  std::string warning() const;       // says so; empty if none is left out
};
// All events but those of waits, unless they and `rows` rows are too many: then as many as possible
// of those with most samples. The chosen one is always there.
ReportedEvents reported_events(const Profile&, const perfdata::Description&, std::size_t event,
                               std::size_t rows);

// The event that --event names, as in named_event(); it may be a sum. If the name is empty: the
// event with the most samples that is not of waits. The remedy of the error names the recorded
// events.
Result<std::size_t> choose_event(std::string_view name, const Profile&,
                                 const perfdata::Description&);

}  // namespace tacho

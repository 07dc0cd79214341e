// Reads a whole recording into a profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "locate/recording_input.hpp"
#include "locate/resolver.hpp"
#include "perfdata/reader.hpp"
#include "profile/profile.hpp"
#include "profile/summary.hpp"

namespace tacho {

struct RecordedProfile {
  std::unique_ptr<perfdata::Reader> reader;  // its description is used
  Profile profile;
  std::vector<std::string> warnings;         // what could not be read
  bool damaged = false;                      // the rest could not be read
  std::size_t event = 0;                     // the chosen one
  std::optional<ChosenSamples> chosen = {};  // none: all samples
  SampleChoice choice = {};                  // with times on the recording's clock

  const perfdata::Description& description() const { return reader->description(); }
  // What makes the recording, its event's profile and the names doubtful.
  std::vector<std::string> all_warnings(Resolver&) const;
};

// What a profile keeps beside the places of samples, which takes memory: each sample with its time,
// or the counts of each thread on each CPU.
enum class SampleDetails : std::uint8_t { none, times, owners };

// Errors: the file is no recording, has no samples, or has no such event. Damage is an error if no
// sample precedes it, and otherwise a warning.
// If no sample was chosen, the error names those that there are. The waits of WallView::apart are
// all in the profile, whatever was chosen.
Result<RecordedProfile> read_profile(const RecordingInput&,
                                     SampleDetails details = SampleDetails::none);

// Makes functions that were inlined functions of their own: in rows, call views and exports.
void show_inlined(RecordedProfile&, Resolver&);

// Its rows, with the warnings of reading it first.
ProfileSummary summarize(const RecordedProfile&, Resolver&, SortBy, std::span<const Metric>);

}  // namespace tacho

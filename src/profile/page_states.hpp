// What each thread did over time, as the page of a recording of waits has it: ran, was ready,
// waited.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/time_grid.hpp"
#include "profile/recorded_profile.hpp"
#include "profile/samples_in_time.hpp"

namespace tacho {

using PageThreads = std::vector<SamplesInTime::Thread>;

class PageStates {
 public:
  // `most`: how many times of a thread in a slice the page may have.
  PageStates(const RecordedProfile& recorded, std::size_t most);
  // The slices of time of the whole page.
  const TimeGrid& grid() const { return grid_; }
  // The member "states": null if the recording was not read with the states of threads. Adds
  // threads that have no sample.
  std::string member(PageThreads&) const;

 private:
  const WallReader* reader_;          // null: the recording was not read with states
  std::vector<ThreadTimes> threads_;  // the chosen ones; none: no states are shown
  TimeGrid grid_;
};

}  // namespace tacho

// Names of the threads that wake recorded ones, and are not recorded themselves: those of other
// processes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "perfdata/encode_records.hpp"
#include "perfdata/inventory.hpp"
#include "record/present_threads.hpp"

namespace tacho {

class WakerNames {
 public:
  // `wakes`: the event whose samples are taken in the wakers; nullptr: there is none. `present`:
  // the threads whose names are recorded already.
  WakerNames(const perfdata::WrittenEvent* wakes, std::span<const PresentThread> present);

  // Looks at the next records, which are whole. Returns a record with the name of each waker that
  // was seen for the first time and that no record has named. A name is that of now: call this
  // soon, while the waker lives.
  std::vector<std::byte> named(std::span<const std::byte> records,
                               const perfdata::Trailer& trailer);

 private:
  std::unordered_set<std::uint64_t> ids_;  // of the event
  std::unordered_set<pid_t> known_;        // threads that are named, or were looked up
};

}  // namespace tacho

// Of the wake-ups that the kernel records on every CPU, keeps those of recorded threads. Finds the
// names of their wakers, which may be threads of other processes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "events/event.hpp"
#include "perfdata/encode_records.hpp"
#include "perfdata/inventory.hpp"
#include "record/present_threads.hpp"

namespace tacho {

class WakeRecords {
 public:
  // `event` is the one that is sampled everywhere, and `written` describes it. `threads`: those
  // that are recorded from the beginning.
  WakeRecords(const Event& event, const perfdata::WrittenEvent& written,
              std::span<const PresentThread> threads);

  // Takes the next records, which are whole, and returns the stretches of them that are to be
  // written: all but wake-ups of threads that no record has named. These are held back, because
  // such a record may be in another buffer.
  std::vector<std::span<const std::byte>> keep(std::span<const std::byte> records);
  // To be called when all buffers were read. Returns the records held back that are of recorded
  // threads after all, and one with the name of each waker that no record has named. A name is that
  // of now: call this soon, while the waker lives.
  std::vector<std::byte> end_round(const perfdata::Trailer& trailer);

 private:
  struct Waker {
    pid_t pid = -1;
    std::uint64_t first_ns = 0;  // in this round
  };
  struct Name {
    std::string name;
    std::uint64_t time_ns = 0;  // when it was looked up
  };

  void follow(std::span<const std::byte> record);
  bool is_wake_up(std::span<const std::byte> record) const;
  bool is_recorded(std::span<const std::byte> wake_up) const;
  void note_waker(std::span<const std::byte> wake_up);

  std::unordered_set<std::uint64_t> ids_;  // of the event; empty: all records are kept
  std::size_t woken_at_ = 0;  // bytes in a sample before the number of the woken thread
  std::unordered_set<pid_t> recorded_;
  std::unordered_set<pid_t> ended_;          // the last record of a thread comes after its end
  std::unordered_map<pid_t, Waker> wakers_;  // of this round
  std::unordered_map<pid_t, Name> names_;    // of wakers that are not recorded
  std::vector<std::byte> held_back_;
};

}  // namespace tacho

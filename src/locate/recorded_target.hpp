// What a recording is of: a command that the recorder launched, or what it attached to.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace tacho {

struct RecordedTarget {
  std::string attached;   // "make (pid 12)", "all CPUs"; empty: the recorder launched the command
  std::string command;    // as one types it in a shell; of an attached recorder, it ran meanwhile
  bool of_group = false;  // a control group or container
  // What a reader calls the recording: "a recording" if nothing is known.
  std::string title() const;
};

// Returns the name of a thread, or an empty text.
using NameOfThread = std::function<std::string(std::int32_t)>;

// `words`: the command line of tacho record or perf record. Without `name_of`, threads are numbers.
RecordedTarget recorded_target(std::span<const std::string> words,
                               const NameOfThread& name_of = {});

}  // namespace tacho

// Which samples of a recording a user wants to see. A sample is chosen if each aspect that has
// values has one that fits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "locate/time_slices.hpp"

namespace tacho {

struct SampleChoice {
  std::vector<std::string> commands = {};  // names of threads at the time of the sample
  std::vector<std::int32_t> processes = {}, threads = {};
  std::vector<std::string> modules = {};  // paths, or their last parts
  std::vector<int> cpus = {};
  std::vector<TimeSlice> times = {};
  std::string time_text = {};  // as the user wrote them

  bool is_everything() const {
    return commands.empty() && processes.empty() && threads.empty() && modules.empty() &&
           cpus.empty() && times.empty();
  }
};

// Whether not all threads were chosen.
bool is_of_threads(const SampleChoice&);
// Whether a thread was chosen, by its numbers or its last name.
bool has_thread(const SampleChoice&, std::int32_t pid, std::int32_t tid, const std::string& name);

// One way in which a user writes a part of a choice.
struct ChoiceOption {
  const char* names;  // of the option
  const char* type;   // what it takes
  const char* description;
  Result<void> (*take)(const std::string& text, SampleChoice&);  // adds to the choice
};
std::span<const ChoiceOption> choice_options();

// "command cc1plus; CPUs 0-3"
std::string in_words(const SampleChoice&);

// What the shares of a report are of, if a user chose samples.
struct ChosenSamples {
  std::string words;  // in_words()
  std::uint64_t samples = 0, all = 0;
};

}  // namespace tacho

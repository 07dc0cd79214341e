// Checks the names of recordings that a user gave, before anything is read.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// An error if the output is the recording that is read, by its name or as standard input.
Result<void> keep_recording(const std::string& input, const std::string& output);

// An error if an option stands in the place of a recording of -i or --compare, if one is twice in
// one of these, or if the output is one of them. One run would count as two that do not differ.
Result<void> check_recordings(const std::vector<std::string>& files,
                              const std::vector<std::string>& compare, const std::string& output);

}  // namespace tacho

// Chooses the clock that the times of samples come from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// The clock (clockid_t) that a user means by perf's names: monotonic, CLOCK_MONOTONIC, mono or 1,
// and so on. Fails for clocks by which the kernel never samples.
Result<int> clock_named(std::string_view text);

// The short names: "mono", "raw" and so on.
std::vector<std::string> clock_names();

// CLOCK_MONOTONIC, which JIT compilers and other programs log by, if reading it is as cheap as
// reading the kernel's own clock. Otherwise nothing. `root` is a prefix of /sys for tests.
std::optional<int> default_clock(const std::string& root = {});

}  // namespace tacho

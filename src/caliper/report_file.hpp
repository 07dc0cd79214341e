// Writes a report to a file or to standard error.
#pragma once

#include <array>
#include <string_view>

#include "base/result.hpp"
#include "tacho/report.hpp"

namespace tacho::caliper {

// The names of CountStatus in machine formats.
inline constexpr std::array<const char*, 3> kStatusNames = {"counted", "estimated", "unavailable"};

// `format` is "text", "json" or "csv". Appends to the file, or writes to standard error if `path`
// is null.
Result<void> write_report(const RegionReport& report, std::string_view format, const char* path);

}  // namespace tacho::caliper

// A report's way into a file.
#pragma once

#include <array>
#include <string_view>

#include "base/result.hpp"
#include "tacho/report.hpp"

namespace tacho::caliper {

// Of CountStatus, in the formats for programs.
inline constexpr std::array<const char*, 3> kStatusNames = {"counted", "estimated", "unavailable"};

// "text", "json" or "csv"; appended to the file, or to standard error when `path` is null.
Result<void> write_report(const RegionReport& report, std::string_view format, const char* path);

}  // namespace tacho::caliper

// Writes a report to a file or to standard error.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "caliper/region_switch.hpp"
#include "tacho/report.hpp"

namespace tacho::caliper {

// The names of CountStatus in machine formats.
inline constexpr std::array<const char*, 3> kStatusNames = {"counted", "estimated", "unavailable"};

// What regions that are not always on add to a report.
struct SwitchedFigures {
  OnTime on;
  // Ends without a begin, or whose begin came while regions were off.
  std::uint64_t perhaps_unmatched = 0;
};

// A report, and what RegionReport has no place for.
struct ProcessReport {
  RegionReport figures;
  // By region: the code that began the first execution that was left open; may be empty.
  std::vector<std::string> left_open_by;
  SwitchedFigures switched;
};
ProcessReport process_report();

// The formats. `left_open_by` may have fewer elements than there are regions. `switched` is null if
// it is not known.
using LeftOpen = std::span<const std::string>;
std::string to_text(const RegionReport& report, LeftOpen left_open_by,
                    const SwitchedFigures* switched);
std::string to_json(const RegionReport& report, LeftOpen left_open_by,
                    const SwitchedFigures* switched);
inline std::string to_json(const ProcessReport& whole) {
  return to_json(whole.figures, whole.left_open_by, &whole.switched);
}
inline std::string_view left_open_at(LeftOpen left_open_by, std::size_t region) {
  return region < left_open_by.size() ? std::string_view(left_open_by[region]) : "";
}

// "TSC at 2.6 GHz, wall-like, in steps of 26 ticks".
std::string describe(const TickClock& clock);

// Whether there is a format of this name.
Result<void> check_format(std::string_view format);

// `format` is "text", "json" or "csv". Appends to the file, or writes to standard error if `path`
// is null.
Result<void> write_report(const ProcessReport& report, std::string_view format, const char* path);

}  // namespace tacho::caliper

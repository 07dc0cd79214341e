// Writes a report to a file or to standard error.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "caliper/distribution.hpp"
#include "caliper/path_table.hpp"
#include "caliper/process_place.hpp"
#include "caliper/region_switch.hpp"
#include "caliper/trace.hpp"
#include "tacho/report.hpp"

namespace tacho::caliper {

// The names of CountStatus in machine formats.
inline constexpr std::array<const char*, 3> kStatusNames = {"counted", "estimated", "unavailable"};

// The values of a quantity: of each value in `distribution` times `scale`, the cost is not
// subtracted.
struct Values {
  double scale = 1;
  Distribution distribution;
};

// What RegionFigures has no place for.
struct MoreFigures {
  std::string left_open_by;  // the code that began the first execution that was left open; or empty
  double own_ticks = 0;      // of the total: without the regions inside
  std::vector<Values> values;  // by quantity
};

// What regions that are not always on add to a report.
struct SwitchedFigures {
  OnTime on;
  // Ends without a begin, or whose begin came while regions were off.
  std::uint64_t perhaps_unmatched = 0;
};

// A report, and what RegionReport has no place for.
struct ProcessReport {
  RegionReport figures;
  std::vector<MoreFigures> more;  // by region
  std::vector<RegionPath> paths;
  std::uint64_t without_path = 0;  // executions that no path was left for
  ProcessPlace place;
  std::optional<SwitchedFigures> switched;  // none if it is not known
};
ProcessReport process_report();
// Single executions, and the names of their regions by number.
struct ProcessTrace {
  std::vector<ThreadTrace> threads;
  std::vector<std::string> names;
};
ProcessTrace process_trace();  // at the end of the process
// Whether the program noted this quantity of a region. Notes are behind the ticks and the events.
bool is_note(std::size_t quantity);
// A report of which no more is known.
ProcessReport only(const RegionReport& figures);

// The formats.
std::string to_text(const ProcessReport& report);
std::string to_json(const ProcessReport& report);

// A text as a value of JSON, with invisible characters spelled.
std::string json_string(std::string_view bytes);

// "TSC at 2.6 GHz, wall-like, in steps of 26 ticks".
std::string describe(const TickClock& clock);

// Whether there is a format of this name.
Result<void> check_format(std::string_view format);

// `format` is "text", "json" or "csv". Appends to the file, or writes to standard error if `path`
// is null.
Result<void> write_report(const ProcessReport& report, std::string_view format, const char* path);

}  // namespace tacho::caliper

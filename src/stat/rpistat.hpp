// The report of rpistat, in the layout that it had when it was published (P. J. Drongowski, RPi
// performance event monitoring: rpistat, 2013), and rpistat.data, a line a period.
//
// What is added to the layout: the PMU, 95 % intervals behind what was scaled, `not available` with
// the reason where there is no count, and notes at the end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/number.hpp"
#include "events/report_layout.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// A layout, and what its rows are counted by: that of the cycles, then every row, set by set.
struct RowReport {
  ReportLayout layout;
  std::vector<RowSource> rows;
};

// The measurement with one event a row, named as the row is, in the order of RowReport::rows.
Measurement of_rows(const RowReport&, const Measurement&);

// The text. `periods` is how many there were. `advice` is the last note; may be empty. A style
// without thousands separators gets some, as they belong to the layout.
std::string to_rpistat(const RowReport&, const Measurement&, std::size_t periods,
                       const std::string& advice, NumberStyle style);

// Lines of rpistat.data: comments that say what the columns are, then one a period. Columns are
// separated by a space; `-` is what was not counted in a period. Counts are raw.
class RowData {
 public:
  explicit RowData(RowReport report) : report_(std::move(report)) {}

  std::string header(const Measurement&) const;
  // As for series_period.
  std::string period(const Measurement&, const Period&, std::span<const std::uint64_t> always);
  std::size_t periods() const { return periods_; }

 private:
  RowReport report_;
  std::uint64_t cycles_ = 0;  // of the whole run up to now
  std::size_t periods_ = 0;
};

// The columns before those of the rows, beginning with 1 as gnuplot and awk do.
inline constexpr int kFirstRowColumn = 6;

}  // namespace tacho

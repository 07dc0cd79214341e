// The report of rpistat in its published layout (P. J. Drongowski, RPi performance event
// monitoring: rpistat, 2013), and rpistat.data, which has a line for each period.
//
// tacho adds to the layout: the PMU, 95 % intervals of scaled counts, `not available` with the
// reason where there is no count, and notes at the end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/number.hpp"
#include "events/report_layout.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// A layout, and the event that each row is counted by: the cycles first, then every row, set by
// set.
struct RowReport {
  ReportLayout layout;
  std::vector<RowSource> rows;
};

// The measurement with one event for each row, or on unequal cores with its parts. Each has the
// row's name; the order is that of RowReport::rows.
Measurement of_rows(const RowReport&, const Measurement&);

// One event for each row. On unequal cores, that is the first part of the row's event.
std::vector<CountedEvent> events_of_rows(const RowReport&, const Measurement&);

// The text. `periods` is the number of periods. `advice` is the last note and may be empty. The
// layout has thousands separators; a style without any gets commas.
std::string to_rpistat(const RowReport&, const Measurement&, std::size_t periods,
                       const std::string& advice, NumberStyle style);

// The lines of rpistat.data: comments that explain the columns, then a line for each period. A
// space separates columns; `-` means not counted in this period. Counts are raw.
class RowData {
 public:
  explicit RowData(RowReport report) : report_(std::move(report)) {}

  std::string header(const Measurement&) const;
  // `always` has the meaning that it has for series_period().
  std::string period(const Measurement&, const Period&, std::span<const std::uint64_t> always);
  std::size_t periods() const { return periods_; }

 private:
  RowReport report_;
  std::uint64_t cycles_ = 0;  // of the run up to now
  std::size_t periods_ = 0;
};

// The first column of a row. Columns are numbered from 1, as gnuplot and awk do.
inline constexpr int kFirstRowColumn = 6;

}  // namespace tacho

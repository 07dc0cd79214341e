// Layouts of reports whose rows have names of their own, like rpistat's: the rows, their sets, and
// the events that count each row on each kind of PMU. Read from data files (data/reports).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pmu_kind.hpp"
#include "base/result.hpp"
#include "events/metric.hpp"

namespace tacho {

// The name of the whole run's cycles in formulas, and the event that counts them.
inline constexpr std::string_view kCyclesRow = "Cycles";
inline constexpr std::string_view kCyclesEvent = "cycles";

struct ReportSet {
  // The events that count the rows on one kind of PMU: one event a row, in the rows' order. Rows
  // after the last event are not counted there.
  struct Choice {
    std::optional<PmuKind> pmu;  // the kind of PMU that it is for; nothing: all kinds
    std::vector<std::string> events;
    std::string note;  // a remark on counts of this choice; may be empty
  };
  std::string name;  // "DC": the row of its periods is "DC periods"
  std::vector<std::string> rows;
  std::vector<Choice>
      choices;  // the one with the most countable events is used; the first of equals
  std::vector<Metric> ratios;  // their formulas name rows of this set or of others
};

struct ReportLayout {
  std::string name;      // the file's name without directory and suffix: "rpistat"
  double period_ms = 0;  // the longest period, unless the user gives another
  int counters = 0;      // the most events of a set, cycles not included
  std::vector<ReportSet> sets;
};

// The event that counts a row on this PMU.
struct RowSource {
  std::string event;  // the PMU's name for it; empty: the PMU has no event for this row
  Error absent;       // the reason and the remedy if there is no event
  std::string note;   // the choice's note
};

// Errors name the file, the line and the reason.
Result<ReportLayout> load_report(const std::string& path);
// The same for text in memory. Errors name `path`, and the layout's name is derived from it.
Result<ReportLayout> parse_report(std::string_view text, const std::string& path);

}  // namespace tacho

// Reports whose rows have names of their own, such as rpistat's: which rows there are, in which
// sets, and which events stand for them on which PMU. Read from data files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/metric.hpp"

namespace tacho {

// What a formula calls the cycles of the whole run, and the event that counts them.
inline constexpr std::string_view kCyclesRow = "Cycles";
inline constexpr std::string_view kCyclesEvent = "cycles";

struct ReportSet {
  // Events that mean the rows on some PMUs: one a row, in the rows' order. Rows behind the last
  // event have none there.
  struct Choice {
    std::string pmu;  // the kind of PMU that it is for; empty: any
    std::vector<std::string> events;
    std::string note;  // what to know of counts that were got so; may be empty
  };
  std::string name;  // "DC": the row of its periods is "DC periods"
  std::vector<std::string> rows;
  std::vector<Choice> choices;  // the first of which the most events count is taken
  std::vector<Metric> ratios;   // their formulas have names of rows, of this set or any other
};

struct ReportLayout {
  std::string name;      // the file's, without directory and ending: "rpistat"
  double period_ms = 0;  // the longest period, unless the user says otherwise
  int counters = 0;      // beside that of cycles: how many events a set has at most, as before
  std::vector<ReportSet> sets;
};

// What a row is counted by on this PMU.
struct RowSource {
  std::string event;  // as the PMU knows it; empty: it has none for this row
  Error absent;       // then why, and the remedy
  std::string note;   // the choice's
};

// Errors name file, line and reason.
Result<ReportLayout> load_report(const std::string& path);
// The same for text in memory; `path` is named in errors and gives the report's name.
Result<ReportLayout> parse_report(std::string_view text, const std::string& path);

}  // namespace tacho

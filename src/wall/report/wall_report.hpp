// `tacho report --wall` and `--off-cpu`: where the time of threads went, as text, JSON, CSV, and
// for a page.
#pragma once

#include <string>
#include <string_view>

#include "profile/compose_report.hpp"
#include "report/terminal.hpp"
#include "wall/report/wall_summary.hpp"

namespace tacho {

// At most `limit` rows in each table; 0: all.
std::string wall_text(const WallSummary&, std::size_t limit, const TextStyle&);
std::string wall_json(const WallSummary&, std::string_view version);
// A member of the page of samples: some of the JSON, with at most `rows` rows of each table.
std::string wall_member(const WallSummary&, std::size_t rows);
// One row for each place and reason.
std::string wall_csv(const WallSummary&);

// With Viewer::browser, the page of the samples with the waits. Errors: the recording can't be
// read, or its switches were not recorded.
ComposedReport compose_wall_report(const ReportRequest&, const TextStyle&,
                                   std::string_view version);

}  // namespace tacho

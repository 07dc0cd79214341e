// What `tacho report` shows: a request of the user, and the report composed for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "locate/recording_input.hpp"
#include "page/page.hpp"
#include "profile/report.hpp"
#include "profile/summary.hpp"
#include "report/format.hpp"

namespace tacho {

// A program that shows whole profiles, by the format that it reads.
enum class Viewer : std::uint8_t { folded, pprof, firefox, speedscope, browser };

struct ReportRequest {
  // Pieces of one recording; with `compare`, recordings of runs before the change. At least one.
  std::vector<std::string> files{"perf.data"};
  std::vector<std::string> compare;  // recordings of runs after a change; empty: no comparison
  RecordingInput reading;            // without the file
  SortBy sort = SortBy::function;    // not by owner or instruction with `compare`
  Format format = Format::text;
  // Its format is written instead; excludes calls and, but for a browser's page, `compare`.
  std::optional<Viewer> viewer;
  // At most one of these replaces the rows. The names are of functions; empty: not chosen.
  std::string callers, callees;
  bool tree = false;

  bool by_total = false;                // the order of the rows
  std::optional<double> least_percent;  // of the samples, in the tree
  std::optional<std::size_t> limit;     // rows; 0: all
  std::optional<bool> inlined;          // whether functions that were inlined are shown
  bool source = true;                   // a browser's page has source lines and instructions

  bool shows_calls() const { return tree || !callers.empty() || !callees.empty(); }
  // Rows are by symbol unless asked: the debug information of a large program takes long to read.
  // Viewers get everything.
  bool shows_inlined() const { return inlined.value_or(viewer.has_value()); }
  bool shows_rows() const { return !viewer && !shows_calls() && compare.empty(); }
  bool is_text() const { return format == Format::text && !viewer; }
  std::size_t rows() const;  // at most; 0: all
};

struct ComposedReport {
  Result<std::string> text;           // or data, in the format of the request
  TextWriter writer;                  // if it is set, it writes data that take the place of `text`
  std::optional<Page> page = {};      // if it is set, it takes the place of `text`: Viewer::browser
  std::vector<std::string> warnings;  // those before an error, too
};

// Reads the recordings, which are distinct. Errors: one can't be read, or lacks what is asked for.
ComposedReport compose_report(const ReportRequest&, const TextStyle&, std::string_view version);

}  // namespace tacho

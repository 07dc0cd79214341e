// The files that a report with rows writes beside its text: the data, a line for each period, and a
// picture.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/notices.hpp"
#include "report/output.hpp"
#include "stat/report.hpp"
#include "stat/request.hpp"
#include "stat/rpistat.hpp"

namespace tacho {

class RowOutput {
 public:
  // The file for the text: the request's, or the report's name with .txt.
  static std::string text_path(const StatRequest& request, const RowReport& rows);

  // Opens the data file beside the text and checks that a picture can be drawn. So a failure is
  // known before the workload starts.
  static Result<RowOutput> open(const StatRequest& request, RowReport rows, const Notices& notices);

  // The data file, and the picture if there is to be one.
  std::vector<NamedOutput> files() const;

  // An error when the picture would show nothing. The measurement has not begun.
  Result<void> check_plot(const Measurement&) const;

  void begin(const Measurement&);
  // `always` has the meaning that it has for series_period().
  void period(const Measurement&, const Period&, std::span<const std::uint64_t> always);

  std::string text(const StatReport& report, const NumberStyle& style) const;

  // Draws the picture. Notices say where the files are. Returns whether everything was written;
  // each failure is a notice.
  bool finish(const Measurement&, const NumberStyle& style);

 private:
  RowOutput(RowReport rows, Output data, const Notices& notices)
      : rows_(rows), lines_(std::move(rows)), data_(std::move(data)), notices_(notices) {}

  void keep(std::string_view lines);
  Result<void> draw(const Measurement&) const;
  Result<void> show(const Measurement&, const NumberStyle& style) const;

  RowReport rows_;
  RowData lines_;
  Output data_;
  Notices notices_;
  std::string text_path_;
  std::string data_path_;
  std::string picture_path_;       // empty: none
  std::optional<Output> picture_;  // gnuplot writes it, by its path
  bool shows_ = false;             // draws on the terminal
  bool lost_ = false;              // the data's file did not take a part, and gets no more
};

}  // namespace tacho

// What a report of rows writes beside its text: the data, a line a period, and pictures of it.
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
  // Where the text goes: -o, or the report's name with .txt.
  static std::string text_path(const StatRequest& request, const RowReport& rows);

  // Opens the data file beside the text, and makes sure that a picture can be drawn, so that what
  // can't be is known before the workload starts.
  static Result<RowOutput> open(const StatRequest& request, RowReport rows, const Notices& notices);

  // The data and the picture, as far as they are written.
  std::vector<NamedOutput> files() const;

  // With a measurement that has not begun: an error when the picture would show nothing.
  Result<void> check_plot(const Measurement&) const;

  void begin(const Measurement&);
  // As for series_period.
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
  std::optional<Output> picture_;  // which gnuplot writes, by its path
  bool shows_ = false;             // on the terminal
  std::optional<Error> lost_;
};

}  // namespace tacho

#include "stat/stat_output.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "estimate/summarise.hpp"
#include "report/absence.hpp"
#include "stat/interval.hpp"
#include "stat/series.hpp"

namespace tacho {

namespace {

Result<Output> open_result(const StatRequest& request, const std::optional<RowReport>& rows) {
  const std::string path = rows ? RowOutput::text_path(request, *rows) : request.output;
  if (!path.empty()) return Output::to_file(path);
  return request.format == Format::text ? Output::to_stderr() : Output::to_stdout();
}

}  // namespace

Result<StatOutput> StatOutput::open(const StatRequest& request, std::string version,
                                    std::optional<RowReport> rows, const Notices& notices) {
  Output result = TACHO_TRY(open_result(request, rows));
  StatOutput made(request.format, std::move(version), std::move(result), notices);
  made.intervals_ = request.interval_ms.has_value();
  if (!request.series.empty()) {
    made.series_ = TACHO_TRY(Output::to_file(request.series));
    made.series_path_ = request.series;
  }
  if (rows) made.rows_ = TACHO_TRY(RowOutput::open(request, std::move(*rows), notices));
  std::vector<NamedOutput> files = {{"the report", &made.result_}};
  if (made.series_) files.push_back({"the series", &*made.series_});
  if (made.rows_) std::ranges::move(made.rows_->files(), std::back_inserter(files));
  TACHO_TRY(check_different(files));
  if (!request.openmetrics.empty())
    made.openmetrics_ = TACHO_TRY(OpenMetricsOutput::open(request, made.version_, files, notices));
  return made;
}

Listener StatOutput::listener(MetricChoice& metrics) {
  Listener listener;
  listener.begun = [this, &metrics](const Measurement& m) {
    style_ = NumberStyle::of_environment();  // reads the locale's files
    metrics.complete();
    if (series_) keep(series_header(m, version_, series_format(series_path_)));
    if (rows_) rows_->begin(m);
  };
  if (series_ || rows_) {
    listener.period = [this](const Measurement& m, const Period& period,
                             std::span<const std::uint64_t> always, std::uint64_t reference) {
      if (series_)
        keep(series_period(m, period, period_++, always, reference, series_format(series_path_)));
      if (rows_) rows_->period(m, period, always);
    };
  }
  if (intervals_)
    listener.interval = [this, &metrics](const Measurement& slice, double at_s,
                                         std::span<const Measured::Part> parts) {
      const Summary summary = summarise(slice, metrics.metrics());
      print_interval(summary, slice, at_s);
      if (openmetrics_) openmetrics_->interval(summary, slice, at_s, parts, metrics.metrics());
    };
  listener.parts_of_intervals = openmetrics_.has_value();
  return listener;
}

void StatOutput::keep(std::string_view lines) {
  if (lost_) return;
  if (auto written = series_->write(lines); !written) lost_ = written.error();
}

void StatOutput::print_interval(const Summary& summary, const Measurement& slice, double at_s) {
  std::string text;
  switch (format_) {
    case Format::text:
      if (!interval_begun_)
        text = interval_start_text(summary, slice);
      else if (lasting_absences(summary, slice) > absences_)
        text = absences_text(summary, slice);
      absences_ = lasting_absences(summary, slice);
      text += interval_text(at_s, summary, slice, style_);
      break;
    case Format::json:
      text = interval_json(at_s, summary);
      break;
    case Format::csv:
      if (!interval_begun_) text = interval_start_csv();
      text += interval_csv(at_s, summary);
      break;
  }
  interval_begun_ = true;
  if (auto written = result_.write(text); !written && !lost_) lost_ = written.error();
}

std::string StatOutput::report_text(const StatReport& report) {
  if (rows_) return rows_->text(report, style_);
  switch (format_) {
    case Format::text:
      return to_text(report, style_);
    case Format::json:
      return to_json(report, intervals_ ? -1 : 2);  // with -I each document is a line
    case Format::csv:
      break;
  }
  if (!intervals_) return to_csv(report);
  // With -I the CSV holds intervals only: the report has other columns.
  for (const std::string& warning : all_warnings(report.measurement, report.summary))
    notices_.warning(warning);
  return {};
}

bool StatOutput::finish(const StatReport& report) {
  const bool kept = !openmetrics_ || openmetrics_->finish(report);
  if (series_) keep(series_end(report.measurement, series_format(series_path_)));
  const std::string text = report_text(report);
  if (auto written = result_.write(text); !written) {
    notices_.error({.what = written.error().what,
                    .remedy = "make room, or choose another disk; the result follows here"});
    // When that fails too, nobody is left to read an error.
    [[maybe_unused]] const auto elsewhere = Output::to_stderr().write(text);
    return false;
  }
  if (lost_) notices_.error({.what = lost_->what, .remedy = "what was written before is kept"});
  const bool drawn = !rows_ || rows_->finish(report.measurement, style_);
  return !lost_ && drawn && kept;
}

}  // namespace tacho

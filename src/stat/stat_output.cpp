#include "stat/stat_output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <vector>

#include "estimate/summarise.hpp"
#include "report/absence.hpp"
#include "stat/perf_lines.hpp"
#include "stat/series.hpp"
#include "stat/whole_report.hpp"

namespace tacho {

namespace {

// Nothing if it is no file.
std::optional<off_t> size_of_standard_output() {
  struct stat file{};
  if (::fstat(STDOUT_FILENO, &file) != 0 || !S_ISREG(file.st_mode)) return std::nullopt;
  return file.st_size;
}

Result<Output> open_result(const StatRequest& request, const std::optional<RowReport>& rows) {
  const std::string path = rows ? RowOutput::text_path(request, *rows) : request.output;
  if (!path.empty()) return Output::to_file(path);
  return request.format == Format::text ? Output::to_stderr() : Output::to_stdout();
}

// The error of a write with what helps against it, and with what comes next.
Error followed_by(std::string_view next, const Error& error) {
  std::string remedy = error.code == EBADF ? "open it for writing, or name a file" : error.remedy;
  if (!remedy.empty()) remedy += "; ";
  return {.what = error.what, .remedy = remedy.append(next), .code = error.code};
}

// Shows a text that its file did not take. If that fails too, nobody is left to read an error.
void show_on_stderr(std::string_view text) {
  [[maybe_unused]] const auto shown = Output::to_stderr().write(text);
}

}  // namespace

Result<StatOutput> StatOutput::open(const StatRequest& request, std::string version,
                                    std::optional<RowReport> rows, const Notices& notices) {
  Output result = TACHO_TRY(open_result(request, rows));
  StatOutput made(request, std::move(version), std::move(result), notices);
  const bool to_stdout = request.output.empty() && request.format != Format::text &&
                         !request.perf_lines && !request.interval_ms;
  if (to_stdout) made.standard_output_ = size_of_standard_output();
  if (!request.series.empty()) {
    made.series_ = TACHO_TRY(Output::to_file(request.series));
    made.series_path_ = request.series;
  }
  if (rows) made.rows_ = TACHO_TRY(RowOutput::open(request, std::move(*rows), notices));
  std::vector<NamedOutput> files = {{"the report", &made.result_}};
  if (made.series_) files.push_back({"the series", &*made.series_});
  if (made.rows_) std::ranges::move(made.rows_->files(), std::back_inserter(files));
  if (!request.page.empty()) {
    made.page_ = TACHO_TRY(StatPage::open(request.page, made.version_));
    files.push_back({"the page", &made.page_->file()});
  }
  TACHO_TRY(check_different(files));
  TACHO_TRY(check_sole_writer(files));
  if (!request.openmetrics.empty())
    made.openmetrics_ = TACHO_TRY(OpenMetricsOutput::open(request, made.version_, files, notices));
  return made;
}

Listener StatOutput::listener(MetricChoice& metrics) {
  Listener listener;
  listener.begun = [this, &metrics](const Measurement& m) {
    style_ = NumberStyle::of_environment();  // reads the locale's files
    if (!request_.big_numbers) style_.thousands.clear();
    metrics.complete();
    if (series_) keep(series_header(m, version_, series_format(series_path_)));
    if (rows_) rows_->begin(m);
    if (page_) page_->begin(m);
  };
  if (series_ || rows_ || page_) {
    listener.period = [this](const Measurement& m, const Period& period,
                             std::span<const std::uint64_t> always, std::uint64_t reference) {
      if (series_)
        keep(series_period(m, period, period_, always, reference, series_format(series_path_)));
      if (rows_) rows_->period(m, period, always);
      if (page_) page_->period(m, period, period_, always, reference);
      ++period_;
    };
  }
  if (request_.interval_ms)
    listener.interval = [this, &metrics](Measured slices, double at_s) {
      print_interval(std::move(slices), at_s, metrics.metrics());
    };
  return listener;
}

void StatOutput::keep(std::string_view lines) {
  if (series_lost_) return;
  if (const auto written = series_->write(lines); !written) {
    notices_.error(followed_by("what was written before is kept", written.error()));
    series_lost_ = true;
  }
}

void StatOutput::lose_result(const Error& error, std::string_view next) {
  notices_.error(followed_by(next, error));
  result_lost_ = true;
}

std::string StatOutput::interval_text_of(const StatReport& interval, double at_s) {
  if (request_.perf_lines)
    return perf_lines(interval, *request_.perf_lines, at_s, !request_.sets.empty());
  const bool first = !layout_;
  if (first) layout_ = layout_of(interval, style_, result_.columns());
  switch (request_.format) {
    case Format::json:
      return interval_json(at_s, interval);
    case Format::csv:
      return (first ? interval_start_csv() : "") + interval_csv(at_s, interval);
    case Format::text:
      break;
  }
  const std::size_t absences = lasting_absences(interval);
  std::string text;
  if (first)
    text = interval_start_text(interval, *layout_, result_.columns());
  else if (absences > absences_)
    text = absences_text(interval, result_.columns());
  absences_ = absences;
  return text + interval_text(at_s, interval, *layout_, style_);
}

void StatOutput::write_interval(const StatReport& interval, double at_s) {
  if (!result_lost_) {
    const auto written = result_.write(interval_text_of(interval, at_s));
    if (written) return;
    lose_result(written.error(), "this interval and later ones follow here");
    layout_.reset();  // so that they have a header
  }
  show_on_stderr(interval_text_of(interval, at_s));
}

void StatOutput::print_interval(Measured slices, double at_s, std::span<const Metric> metrics) {
  StatReport interval;
  interval.kind_of_parts = kind_of_parts(request_);
  interval.parts = summarise_parts(slices.parts, metrics);
  interval.summary = summarise(slices.whole, metrics);
  interval.measurement = std::move(slices.whole);
  write_interval(interval, at_s);
  if (openmetrics_) openmetrics_->interval(interval, at_s);
  if (page_) page_->interval(interval, at_s);
}

// Of formats that have no place for warnings.
void StatOutput::warn_of(const StatReport& report) const {
  for (const std::string& warning : all_warnings(report.measurement, report.summary))
    notices_.warning(warning);
}

// A program that reads the file finds the command's output before the result.
void StatOutput::warn_of_shared_output() const {
  if (standard_output_ && size_of_standard_output() != standard_output_)
    notices_.warning(
        "the command wrote to standard output, too, before the result (-o FILE keeps them apart)");
}

std::string StatOutput::report_text(const StatReport& report) {
  if (rows_) return rows_->text(report, style_);
  const bool intervals = request_.interval_ms.has_value();
  if (const auto& as = request_.perf_lines) {
    warn_of(report);
    if (const auto warning = warning_of_separator(report, *as)) notices_.warning(*warning);
    return intervals ? "" : perf_lines(report, *as, std::nullopt, !request_.sets.empty());
  }
  switch (request_.format) {
    case Format::text:
      return to_text(report, style_, result_.columns(), result_.table_columns());
    case Format::json:
      return to_json(report, intervals ? -1 : 2);  // with -I each document is a line
    case Format::csv:
      break;
  }
  if (!intervals) return to_csv(report);
  // With -I the CSV holds intervals only: the report has other columns.
  warn_of(report);
  return {};
}

void StatOutput::write_report(std::string_view text) {
  if (!result_lost_) {
    const auto written = result_.write(text, with_colours);
    if (written) return;
    lose_result(written.error(), "the result follows here");
  }
  show_on_stderr(text);
}

bool StatOutput::finish(const StatReport& report) {
  const bool kept = !openmetrics_ || openmetrics_->finish(report);
  if (series_) keep(series_end(report.measurement, series_format(series_path_)));
  warn_of_shared_output();
  write_report(report_text(report));
  const bool drawn_page = !page_ || page_->finish(report, notices_);
  const bool drawn = !rows_ || (!result_lost_ && rows_->finish(report.measurement, style_));
  return !result_lost_ && !series_lost_ && drawn && drawn_page && kept;
}

}  // namespace tacho

#include "cli/stat_output.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "cli/say.hpp"
#include "estimate/summarise.hpp"
#include "report/absence.hpp"
#include "stat/interval.hpp"
#include "stat/series.hpp"

namespace tacho {

Result<StatOutput> StatOutput::open(const StatOptions& options, std::optional<RowReport> rows) {
  const std::string path = rows ? RowOutput::text_path(options, *rows) : options.output;
  auto result = !path.empty()                      ? Output::to_file(path)
                : options.format() == Format::text ? Result<Output>(Output::to_stderr())
                                                   : Result<Output>(Output::to_stdout());
  if (!result) return std::unexpected(result.error());
  StatOutput made(options.format(), std::move(*result));
  made.intervals_ = options.interval_ms.has_value();
  if (!options.series.empty()) {
    auto series = Output::to_file(options.series);
    if (!series) return std::unexpected(series.error());
    made.series_.emplace(std::move(*series));
    made.series_path_ = options.series;
  }
  if (rows) {
    auto opened = RowOutput::open(options, std::move(*rows));
    if (!opened) return std::unexpected(opened.error());
    made.rows_.emplace(std::move(*opened));
  }
  std::vector<NamedOutput> files = {{"the report", &made.result_}};
  if (made.series_) files.push_back({"the series", &*made.series_});
  if (made.rows_) std::ranges::move(made.rows_->files(), std::back_inserter(files));
  if (auto different = check_different(files); !different)
    return std::unexpected(different.error());
  return made;
}

Listener StatOutput::listener(MetricChoice& metrics) {
  Listener listener;
  listener.begun = [this, &metrics](const Measurement& m) {
    style_ = NumberStyle::of_environment();  // reads the locale's files
    metrics.complete();
    if (series_) keep(series_header(m, TACHO_VERSION, series_format(series_path_)));
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
    listener.interval = [this, &metrics](const Measurement& slice, double at_s) {
      print_interval(slice, at_s, metrics.metrics());
    };
  return listener;
}

void StatOutput::keep(std::string_view lines) {
  if (lost_) return;
  if (auto written = series_->write(lines); !written) lost_ = written.error();
}

void StatOutput::print_interval(const Measurement& slice, double at_s,
                                std::span<const Metric> metrics) {
  const Summary summary = summarise(slice, metrics);
  std::string text;
  switch (format_) {
    case Format::text:
      if (!interval_begun_) text = interval_start_text(summary, slice);
      text += interval_text(at_s, summary, slice, style_);
      break;
    case Format::json:
      text = interval_json(at_s, summary);
      break;
    case Format::csv:
      if (!interval_begun_) text = interval_start_csv();
      text += interval_csv(at_s, summary);
      break;
    case Format::rows:
      break;
  }
  interval_begun_ = true;
  if (auto written = result_.write(text); !written && !lost_) lost_ = written.error();
}

bool StatOutput::finish(const StatReport& report) {
  if (series_) keep(series_end(report.measurement, series_format(series_path_)));
  std::string text;
  switch (format_) {
    case Format::text:
      text = to_text(report, style_);
      break;
    case Format::json:
      text = to_json(report, intervals_ ? -1 : 2);  // a line a document, as the intervals
      break;
    // Its columns differ from the intervals': one table a file.
    case Format::csv:
      if (!intervals_) {
        text = to_csv(report);
        break;
      }
      for (const std::string& warning : all_warnings(report.measurement, report.summary))
        say_warning(warning);
      break;
    case Format::rows:
      text = rows_->text(report, style_);
      break;
  }
  if (auto written = result_.write(text); !written) {
    say_error({.what = written.error().what,
               .remedy = "make room, or choose another disk; the result follows here"});
    // When that fails too, there is nobody left to tell.
    [[maybe_unused]] const auto elsewhere = Output::to_stderr().write(text);
    return false;
  }
  if (lost_) say_error({.what = lost_->what, .remedy = "what was written before is kept"});
  const bool drawn = !rows_ || rows_->finish(report.measurement, style_);
  return !lost_ && drawn;
}

}  // namespace tacho

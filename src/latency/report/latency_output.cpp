#include "cli/latency_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "base/number.hpp"
#include "cli/say.hpp"
#include "latency/report/csv.hpp"
#include "latency/report/json.hpp"
#include "latency/report/plot.hpp"
#include "latency/report/samples.hpp"
#include "latency/report/text.hpp"
#include "report/run_gnuplot.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

bool succeeded(const Result<void>& result) {
  if (!result) say_error(result.error());
  return result.has_value();
}

std::string in_format(Format format, const LatencyReport& report) {
  switch (format) {
    case Format::json:
      return latency_json(report);
    case Format::csv:
      return latency_csv(report);
    case Format::text:
      break;
  }
  return latency_text(report, NumberStyle::of_environment());
}

std::string in_format(Format format, const LatencyMatrix& matrix) {
  switch (format) {
    case Format::json:
      return matrix_json(matrix, TACHO_VERSION_STRING);
    case Format::csv:
      return matrix_csv(matrix);
    case Format::text:
      break;
  }
  return matrix_text(matrix, NumberStyle::of_environment());
}

}  // namespace

Result<LatencyOutput> LatencyOutput::open(const LatencyOptions& options) {
  LatencyOutput made(options);
  if (!options.output.empty()) made.text_ = TACHO_TRY(Output::to_file(options.output));
  if (!options.samples.empty()) made.samples_ = TACHO_TRY(Output::to_file(options.samples));
  std::optional<Output> picture;
  if (!options.plot.empty()) {
    TACHO_TRY(need_gnuplot(options.plot, "leave out --plot"));
    std::filesystem::path beside = options.plot;
    made.data_path_ = beside.replace_extension(".data");
    made.script_path_ = beside.replace_extension(".gnuplot");
    picture = TACHO_TRY(Output::to_file(options.plot));
    made.data_ = TACHO_TRY(Output::to_file(made.data_path_));
    made.script_ = TACHO_TRY(Output::to_file(made.script_path_));
  }
  std::vector<NamedOutput> files = {{"the result", &made.text_}};
  for (const auto& [what, file] :
       {std::pair("the samples", &made.samples_), std::pair("the picture", &picture),
        std::pair("the picture's data", &made.data_),
        std::pair("the picture's script", &made.script_)})
    if (*file) files.push_back({what, &**file});
  TACHO_TRY(check_different(files));
  return made;
}

Result<void> LatencyOutput::draw(const LatencyReport& report) {
  const std::string script = latency_plot_script(report, data_path_, options_.plot);
  TACHO_TRY(data_->write(latency_plot_data(report)));
  TACHO_TRY(script_->write(script));
  TACHO_TRY(run_gnuplot(script, options_.plot, "see gnuplot's own message"));
  say_line(fmt::format("drew {}, by {} from {}", options_.plot, script_path_, data_path_));
  return {};
}

bool LatencyOutput::finish(const LatencyReport& report) {
  bool good = succeeded(text_.write(in_format(options_.format(), report)));
  if (samples_) good = succeeded(samples_->write(latency_samples(report))) && good;
  if (script_ && !report.inference.sizes.empty()) good = succeeded(draw(report)) && good;
  return good;
}

bool LatencyOutput::finish(const LatencyMatrix& matrix) {
  return succeeded(text_.write(in_format(options_.format(), matrix)));
}

}  // namespace tacho

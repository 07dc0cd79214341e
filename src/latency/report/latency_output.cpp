#include "latency/report/latency_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number.hpp"
#include "latency/report/csv.hpp"
#include "latency/report/json.hpp"
#include "latency/report/latency_page.hpp"
#include "latency/report/plot.hpp"
#include "latency/report/samples.hpp"
#include "latency/report/text.hpp"
#include "report/run_gnuplot.hpp"

namespace tacho {
namespace {

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

std::string in_format(Format format, const LatencyMatrix& matrix, std::string_view version) {
  switch (format) {
    case Format::json:
      return matrix_json(matrix, version);
    case Format::csv:
      return matrix_csv(matrix);
    case Format::text:
      break;
  }
  return matrix_text(matrix, NumberStyle::of_environment());
}

}  // namespace

Result<LatencyOutput> LatencyOutput::open(LatencyFiles files, Format format, std::string version,
                                          const Notices& notices) {
  LatencyOutput made(std::move(files), format, std::move(version), notices);
  const LatencyFiles& names = made.files_;
  if (!names.result.empty()) made.text_ = TACHO_TRY(Output::to_file(names.result));
  if (!names.samples.empty()) made.samples_ = TACHO_TRY(Output::to_file(names.samples));
  if (!names.page.empty()) made.page_ = TACHO_TRY(PageOutput::open(names.page));
  std::optional<Output> picture;
  if (!names.plot.empty()) {
    TACHO_TRY(need_gnuplot(names.plot, "leave out --plot"));
    std::filesystem::path beside = names.plot;
    made.data_path_ = beside.replace_extension(".data");
    made.script_path_ = beside.replace_extension(".gnuplot");
    picture = TACHO_TRY(Output::to_file(names.plot));
    made.data_ = TACHO_TRY(Output::to_file(made.data_path_));
    made.script_ = TACHO_TRY(Output::to_file(made.script_path_));
  }
  std::vector<NamedOutput> outputs = {{"the result", &made.text_}};
  for (const auto& [what, file] :
       {std::pair("the samples", &made.samples_), std::pair("the picture", &picture),
        std::pair("the picture's data", &made.data_),
        std::pair("the picture's script", &made.script_)})
    if (*file) outputs.push_back({what, &**file});
  if (made.page_) outputs.push_back({"the page", &made.page_->file()});
  TACHO_TRY(check_different(outputs));
  return made;
}

Result<void> LatencyOutput::draw(const LatencyReport& report) {
  const std::string script = latency_plot_script(report, data_path_, files_.plot);
  TACHO_TRY(data_->write(latency_plot_data(report)));
  TACHO_TRY(script_->write(script));
  TACHO_TRY(run_gnuplot(script, files_.plot, "see gnuplot's own message"));
  notices_.line(fmt::format("drew {}, by {} from {}", files_.plot, script_path_, data_path_));
  return {};
}

bool LatencyOutput::succeeded(const Result<void>& written) const {
  if (!written) notices_.error(written.error());
  return written.has_value();
}

bool LatencyOutput::finish(const LatencyReport& report) {
  bool good = succeeded(text_.write(in_format(format_, report)));
  if (samples_) good = succeeded(samples_->write(latency_samples(report))) && good;
  if (script_ && !report.inference.sizes.empty()) good = succeeded(draw(report)) && good;
  if (page_) good = succeeded(page_->write(latency_page(report), notices_)) && good;
  return good;
}

bool LatencyOutput::finish(const LatencyMatrix& matrix) {
  bool good = succeeded(text_.write(in_format(format_, matrix, version_)));
  if (page_) good = succeeded(page_->write(matrix_page(matrix, version_), notices_)) && good;
  return good;
}

}  // namespace tacho

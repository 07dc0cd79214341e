#include "cli/latency_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "base/number.hpp"
#include "cli/say.hpp"
#include "report/run_gnuplot.hpp"

namespace tacho {
namespace {

bool said(const Result<void>& result) {
  if (!result) say_error(result.error());
  return result.has_value();
}

}  // namespace

Result<LatencyOutput> LatencyOutput::open(const LatencyOptions& options) {
  LatencyOutput made(options);
  const auto opened = [](const std::string& path, auto& to) -> Result<void> {
    auto file = Output::to_file(path);
    if (!file) return std::unexpected(file.error());
    to = std::move(*file);
    return {};
  };
  if (!options.output.empty())
    if (auto done = opened(options.output, made.text_); !done) return std::unexpected(done.error());
  if (!options.samples.empty())
    if (auto done = opened(options.samples, made.samples_); !done)
      return std::unexpected(done.error());
  std::optional<Output> picture;
  if (!options.plot.empty()) {
    if (auto there = need_gnuplot(options.plot, "leave out --plot"); !there)
      return std::unexpected(there.error());
    std::filesystem::path beside = options.plot;
    made.data_path_ = beside.replace_extension(".data");
    made.script_path_ = beside.replace_extension(".gnuplot");
    for (const auto& [path, to] :
         {std::pair(options.plot, &picture), std::pair(made.data_path_, &made.data_),
          std::pair(made.script_path_, &made.script_)})
      if (auto done = opened(path, *to); !done) return std::unexpected(done.error());
  }
  std::vector<NamedOutput> files = {{"the result", &made.text_}};
  for (const auto& [what, file] :
       {std::pair("the samples", &made.samples_), std::pair("the picture", &picture),
        std::pair("the picture's data", &made.data_),
        std::pair("the picture's script", &made.script_)})
    if (*file) files.push_back({what, &**file});
  if (auto different = check_different(files); !different)
    return std::unexpected(different.error());
  return made;
}

Result<void> LatencyOutput::draw(const LatencyReport& report) {
  const std::string script = latency_plot_script(report, data_path_, options_.plot);
  if (auto written = data_->write(latency_plot_data(report)); !written) return written;
  if (auto written = script_->write(script); !written) return written;
  if (auto drawn = run_gnuplot(script, options_.plot, "see gnuplot's own message"); !drawn)
    return drawn;
  say_line(fmt::format("drew {}, by {} from {}", options_.plot, script_path_, data_path_));
  return {};
}

bool LatencyOutput::finish(const LatencyReport& report) {
  bool good =
      said(text_.write(options_.json  ? latency_json(report)
                       : options_.csv ? latency_csv(report)
                                      : latency_text(report, NumberStyle::of_environment())));
  if (samples_) good = said(samples_->write(latency_samples(report))) && good;
  if (script_ && !report.inference.sizes.empty()) good = said(draw(report)) && good;
  return good;
}

bool LatencyOutput::finish(const LatencyMatrix& matrix) {
  return said(text_.write(options_.json  ? matrix_json(matrix, TACHO_VERSION)
                          : options_.csv ? matrix_csv(matrix)
                                         : matrix_text(matrix, NumberStyle::of_environment())));
}

}  // namespace tacho

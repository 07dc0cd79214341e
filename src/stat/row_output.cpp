#include "stat/row_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "report/run_gnuplot.hpp"
#include "stat/rpistat_plot.hpp"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// The name of the file beside the text: rpistat.data for rpistat.txt. If the text goes to a device
// or a pipe, the file has the report's name and is in the working directory.
std::string beside(const std::string& text, const RowReport& rows, const char* ending) {
  std::error_code error;
  const bool elsewhere = fs::exists(text, error) && !fs::is_regular_file(text, error);
  return fs::path(elsewhere ? rows.layout.name : text).replace_extension(ending);
}

std::string absolute(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? path : whole.lexically_normal().string();
}

}  // namespace

std::string RowOutput::text_path(const StatRequest& request, const RowReport& rows) {
  return request.output.empty() ? rows.layout.name + ".txt" : request.output;
}

Result<RowOutput> RowOutput::open(const StatRequest& request, RowReport rows,
                                  const Notices& notices) {
  const std::string text = text_path(request, rows);
  const std::string data = beside(text, rows, ".data");
  if (data == text)
    return failure(fmt::format("'{}' is where the report's data goes", data),
                   "give -o a name with another ending, such as .txt");
  Output data_file = TACHO_TRY(Output::to_file(data));
  RowOutput made(std::move(rows), std::move(data_file), notices);
  made.text_path_ = text;
  made.data_path_ = data;
  if (!request.plot) return made;
  made.shows_ = request.plots_on_terminal() || ::isatty(STDERR_FILENO) == 1;
  if (request.plots_on_terminal()) return made;
  made.picture_path_ = request.plot->empty() ? beside(text, made.rows_, ".svg") : *request.plot;
  TACHO_TRY(need_gnuplot(made.picture_path_, "take --plot=terminal"));
  made.picture_ = TACHO_TRY(Output::to_file(made.picture_path_));
  return made;
}

std::vector<NamedOutput> RowOutput::files() const {
  std::vector<NamedOutput> files = {{"the report's data", &data_}};
  if (picture_) files.push_back({"the picture", &*picture_});
  return files;
}

Result<void> RowOutput::check_plot(const Measurement& m) const {
  if (!picture_ && !shows_) return {};
  const auto script = gnuplot_script(rows_, m, data_path_, picture_path_);
  return script ? Result<void>() : std::unexpected(script.error());
}

void RowOutput::keep(std::string_view lines) {
  if (lost_) return;
  if (auto written = data_.write(lines); !written) {
    notices_.error(written.error());
    lost_ = true;
  }
}

void RowOutput::begin(const Measurement& m) {
  keep(lines_.header(m));
}

void RowOutput::period(const Measurement& m, const Period& period,
                       std::span<const std::uint64_t> always) {
  keep(lines_.period(m, period, always));
}

std::string RowOutput::text(const StatReport& report, const NumberStyle& style) const {
  return to_rpistat(rows_, report.measurement, lines_.periods(), report.advice, style);
}

Result<void> RowOutput::draw(const Measurement& m) const {
  const std::string script = TACHO_TRY(gnuplot_script(rows_, m, data_path_, picture_path_));
  return run_gnuplot(script, picture_path_,
                     "see gnuplot's own message; --plot=terminal needs no gnuplot");
}

Result<void> RowOutput::show(const Measurement& m, const NumberStyle& style) const {
  std::ifstream data(data_path_);
  return Output::to_stderr().write(TACHO_TRY(terminal_plot(rows_, m, data, style)));
}

bool RowOutput::finish(const Measurement& m, const NumberStyle& style) {
  notices_.line(fmt::format("{}: wrote {}, and {} beside it", rows_.layout.name,
                            absolute(text_path_), fs::path(data_path_).filename().string()));
  bool good = !lost_;
  const auto done = [&](const Result<void>& result) {
    if (result) return true;
    notices_.error(result.error());
    return good = false;
  };
  if (shows_) done(show(m, style));
  if (!picture_path_.empty() && done(draw(m)))
    notices_.line(fmt::format("{}: drew {}", rows_.layout.name, absolute(picture_path_)));
  return good;
}

}  // namespace tacho

// The files that `tacho latency` writes. They are opened before the measurement.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "latency/report/report.hpp"
#include "page/page_output.hpp"
#include "report/format.hpp"
#include "report/notices.hpp"
#include "report/output.hpp"

namespace tacho {

// The names of the files; empty: it is not wanted.
struct LatencyFiles {
  std::string result;   // empty: standard output
  std::string samples;  // the histograms of every list, as CSV
  std::string plot;     // the picture; its data and its script stay beside it
  std::string page;     // for a browser
};

class LatencyOutput {
 public:
  // Opens every file. An error if a picture can't be drawn, or if two outputs name the same file.
  // `version` is tacho's own.
  static Result<LatencyOutput> open(LatencyFiles files, Format format, std::string version,
                                    const Notices& notices);

  // Writes the results. False if something could not be written; each failure is a notice.
  bool finish(const LatencyReport& report);
  bool finish(const LatencyMatrix& matrix);

 private:
  LatencyOutput(LatencyFiles files, Format format, std::string version, const Notices& notices)
      : files_(std::move(files)),
        format_(format),
        version_(std::move(version)),
        notices_(notices),
        text_(Output::to_stdout()) {}
  Result<void> draw(const LatencyReport& report);
  bool succeeded(const Result<void>& written) const;

  LatencyFiles files_;
  Format format_;
  std::string version_;
  Notices notices_;
  Output text_;
  std::optional<Output> samples_;
  std::optional<PageOutput> page_;
  std::optional<Output> data_;    // of the picture
  std::optional<Output> script_;  // that draws it
  std::string data_path_;
  std::string script_path_;
};

}  // namespace tacho

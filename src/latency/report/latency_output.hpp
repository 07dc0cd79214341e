// The files that `tacho latency` writes. They are opened before the measurement.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "cli/latency_options.hpp"
#include "latency/report/report.hpp"
#include "report/output.hpp"

namespace tacho {

class LatencyOutput {
 public:
  // Opens every file. An error if a picture can't be drawn, or if two outputs name the same file.
  static Result<LatencyOutput> open(const LatencyOptions& options);

  // Writes the results. False if something could not be written; the error is then printed.
  bool finish(const LatencyReport& report);
  bool finish(const LatencyMatrix& matrix);

 private:
  explicit LatencyOutput(const LatencyOptions& options)
      : options_(options), text_(Output::to_stdout()) {}
  Result<void> draw(const LatencyReport& report);

  const LatencyOptions& options_;
  Output text_;
  std::optional<Output> samples_;
  std::optional<Output> data_;    // of the picture
  std::optional<Output> script_;  // that draws it
  std::string data_path_;
  std::string script_path_;
};

}  // namespace tacho

// Where the results of `tacho latency` go: tried before anything is measured.
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
  // Opens every file, and makes sure that a picture can be drawn and that no file is named twice.
  static Result<LatencyOutput> open(const LatencyOptions& options);

  // Whether all of it could be written; what not is said here.
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

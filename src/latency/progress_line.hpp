// Progress as one line: what is measured now, and an estimate of the time left.
#pragma once

#include <chrono>

#include "latency/request.hpp"
#include "latency/survey.hpp"

namespace tacho {

class ProgressLine {
 public:
  explicit ProgressLine(const LatencyProgress& progress) : progress_(progress) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { progress_(""); }

  // Valid as long as this is.
  SurveyProgressCallback callback() const;
  // Since this was constructed.
  double seconds() const;

 private:
  const LatencyProgress& progress_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace tacho

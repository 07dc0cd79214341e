#include "latency/progress_line.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tacho {

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

SurveyProgressCallback ProgressLine::callback() const {
  return [this](const SurveyProgress& now) {
    constexpr double kEnough = 0.05;  // of the whole, to tell the time left from
    std::string text = fmt::format("latency: {}, {:.0f} %", now.what, 100 * now.done);
    if (now.done > kEnough)
      text += fmt::format(", {:.0f} s left", std::ceil(seconds() / now.done * (1 - now.done)));
    progress_(text);
  };
}

}  // namespace tacho

// The page of `tacho stat --html`: the report, and what happened over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "page/page_output.hpp"
#include "report/notices.hpp"
#include "stat/rates_over_time.hpp"
#include "stat/report.hpp"

namespace tacho {

class StatPage {
 public:
  // Opens the file. `version` is tacho's own.
  static Result<StatPage> open(const std::string& path, std::string version);

  // Called while the workload runs, as the functions of series.hpp are. Periods beyond the first
  // 20,000 make the page leave out the periods, so that a long run does not fill the memory.
  void begin(const Measurement&);
  void period(const Measurement&, const Period&, std::size_t index,
              std::span<const std::uint64_t> always, std::uint64_t reference);
  void interval(const StatReport&, double at_s);

  // Writes the page. Returns whether it was written; a failure is a notice.
  bool finish(const StatReport&, const Notices&);

  const Output& file() const { return output_.file(); }

 private:
  StatPage(PageOutput output, std::string version)
      : output_(std::move(output)), version_(std::move(version)) {}

  PageOutput output_;
  std::string version_;
  std::string header_, periods_, intervals_;  // lists of JSON, without brackets
  std::size_t period_count_ = 0;
  RatesOverTime of_periods_, of_intervals_;
  double interval_start_s_ = 0;
};

}  // namespace tacho

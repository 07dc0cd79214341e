// Chooses the number of digits that an interval justifies.
#include "report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tacho {
namespace {

constexpr int kMostDecimals = 12;

// The power of ten of the first digit; 0 for a number without one.
int magnitude(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  return static_cast<int>(std::floor(std::log10(std::abs(value))));
}

// Decimals (negative: whole tens, hundreds, …) that show `digits` significant digits.
int decimals_for_digits(double value, int digits) {
  if (value == 0) return 0;
  const int decimals = digits - 1 - magnitude(value);
  const double shown = std::round(std::abs(value) * std::pow(10.0, decimals));
  const bool carried = shown >= std::pow(10.0, digits);  // 9.996 with three digits is 10.0
  return std::min(carried ? decimals - 1 : decimals, kMostDecimals);
}

// The decimals of an uncertainty: two significant digits if it starts with 1, 2 or 3, else one (the
// rounding rule of the Particle Data Group, Review of Particle Physics, section 5.3).
int decimals_for_uncertainty(double half_width) {
  const int power = magnitude(half_width);
  const double leading = half_width / std::pow(10.0, power);
  return std::min(leading < 3.55 ? 1 - power : -power, kMostDecimals);
}

// A ratio has six digits at most, however narrow its interval.
int finest_decimals(double value) {
  return value == 0 ? kMostDecimals : std::max(decimals_for_digits(value, 6), 0);
}

std::string rounded(double value, int decimals, const NumberStyle& style) {
  if (decimals >= 0) return fixed(value, decimals, style);
  const double step = std::pow(10.0, -decimals);
  return fixed(std::round(value / step) * step, 0, style);
}

// The decimals of a figure with an interval. At least one significant digit of the figure stays.
int decimals_of(double value, double half_width, int most) {
  const int justified = decimals_for_uncertainty(half_width);
  const int first_digit = value == 0 ? justified : -magnitude(value);
  return std::min(std::max(justified, first_digit), most);
}

bool is_number(const std::optional<double>& value) {
  return value && std::isfinite(*value);
}

// The decimals of a number without an interval.
int decimals_without_interval(const EventSummary& event, double value, bool repeated) {
  if (event.status == Status::estimated) {
    return std::min(decimals_for_digits(value, 3), event.unit.empty() ? 0 : 3);
  }
  if (event.unit.empty()) return repeated && value != std::round(value) ? 1 : 0;
  if (event.unit == "ns") return value < 10 ? 3 : 2;
  return std::max(decimals_for_digits(value, 4), 0);
}

}  // namespace

Figure figure_of(const EventSummary& event, bool repeated, const NumberStyle& style) {
  if (!is_number(event.estimate)) return {};
  const bool clock = event.unit == "ns";
  const double scale = clock ? 1e-6 : 1.0;
  const double value = *event.estimate * scale;
  const bool estimated = event.status == Status::estimated;
  // An interval of zero around none would claim more than is known.
  const bool shown =
      is_number(event.ci95) && (estimated ? value != 0 || *event.ci95 > 0 : repeated);
  const double half_width = shown ? std::abs(*event.ci95) * scale : 0;
  const int most = event.unit.empty() ? (repeated ? 1 : 0) : clock ? 3 : finest_decimals(value);
  const int decimals = half_width > 0 ? decimals_of(value, half_width, most)
                       : shown        ? (event.unit.empty() ? 0 : std::min(most, 3))
                                      : decimals_without_interval(event, value, repeated);
  return {.value = (estimated ? "~" : "") + rounded(value, decimals, style),
          .unit = clock ? "ms" : event.unit,
          .spread = shown ? spread(value, half_width, style) : ""};
}

Figure figure_of(const MetricSummary& metric, const NumberStyle& style) {
  if (!is_number(metric.value)) return {};
  const double value = *metric.value;
  const std::string percent = metric.unit == "%" ? "%" : "";
  if (!is_number(metric.ci95)) {
    return {"~" + rounded(value, decimals_for_digits(value, 3), style), percent, ""};
  }
  const double half_width = std::abs(*metric.ci95);
  if (half_width == 0) {
    return {fixed(value, std::max(decimals_for_digits(value, 4), 0), style), percent, ""};
  }
  const int finest = finest_decimals(value);
  const int justified = decimals_for_uncertainty(half_width);
  const std::string shown = value != 0 && justified > finest
                                ? "<" + fixed(std::pow(10.0, -finest), finest, style)
                                : rounded(half_width, justified, style);
  return {.value = rounded(value, decimals_of(value, half_width, finest), style),
          .unit = "",
          .spread = "± " + shown + (percent.empty() ? "" : " %")};
}

std::string spread(double value, double half_width, const NumberStyle& style) {
  if (half_width == 0) return "± 0 %";
  const double percent = 100 * half_width / std::abs(value);
  if (value == 0 || percent >= 1000) {
    return "± " + rounded(half_width, decimals_for_uncertainty(half_width), style);
  }
  if (percent < 0.01) return "± <" + fixed(0.01, 2, style) + " %";
  return "± " + rounded(percent, decimals_for_uncertainty(percent), style) + " %";
}

std::string rate(double per_second, double relative_ci95, const NumberStyle& style) {
  constexpr std::array kPrefixes = {" /s", " k/s", " M/s", " G/s", " T/s"};
  std::size_t prefix = 0;
  const int digits = relative_ci95 < 0.01 ? 3 : 2;
  const double limit = digits == 3 ? 999.5 : 995;  // from here on it would round to 1,000
  for (; per_second >= limit && prefix + 1 < kPrefixes.size(); ++prefix) per_second /= 1000;
  return rounded(per_second, decimals_for_digits(per_second, digits), style) + kPrefixes[prefix];
}

std::string percentage(double part, const NumberStyle& style) {
  const double percent = 100 * part;
  return fixed(percent, std::clamp(decimals_for_digits(percent, 3), 0, 6), style) + " %";
}

std::string percent(double share, const NumberStyle& style) {
  return fixed(100 * share, 1, style) + " %";
}

std::string range(const ShareInterval& interval, const NumberStyle& style) {
  return fmt::format("{}…{} %", fixed(100 * interval.low, 1, style),
                     fixed(100 * interval.high, 1, style));
}

std::string seconds(double value, const NumberStyle& style) {
  const int decimals = value < 0.001 ? 6 : value < 1 ? 4 : 3;
  return fixed(value, decimals, style) + " s";
}

}  // namespace tacho

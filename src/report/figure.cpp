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

// "(11.9…12.8)"
std::string from_to(const IntervalEnds& ends, double half_width, int most_decimals,
                    const NumberStyle& style) {
  const auto end = [&](double value) {
    return rounded(value, decimals_of(value, half_width, most_decimals), style);
  };
  return '(' + end(ends.low) + "…" + end(ends.high) + ')';
}

// "± 1.2 %", or both ends if the interval is wide.
std::string relative_or_ends(double value, double half_width, const IntervalEnds& ends,
                             int most_decimals, const NumberStyle& style) {
  if (half_width == 0) return "± 0 %";
  if (needs_both_ends(value, half_width)) return from_to(ends, half_width, most_decimals, style);
  const double percent = 100 * half_width / std::abs(value);
  if (percent < 0.01) return "± <" + fixed(0.01, 2, style) + " %";
  return "± " + rounded(percent, decimals_for_uncertainty(percent), style) + " %";
}

// "± 0.02", in the unit of the figure; "± <0.001" if it is below the figure's last digit.
std::string absolute(double value, double half_width, const NumberStyle& style) {
  const int finest = finest_decimals(value);
  const int justified = decimals_for_uncertainty(half_width);
  if (value != 0 && justified > finest)
    return "± <" + fixed(std::pow(10.0, -finest), finest, style);
  return "± " + rounded(half_width, justified, style);
}

}  // namespace

Figure figure_of(const EventSummary& event, bool repeated, const NumberStyle& style) {
  return figure_of(event, ends95(event).value_or(IntervalEnds{}), repeated, style);
}

Figure figure_of(const EventSummary& event, const IntervalEnds& ends, bool repeated,
                 const NumberStyle& style) {
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
          .spread = shown ? relative_or_ends(value, half_width,
                                             {ends.low * scale, ends.high * scale}, most, style)
                          : ""};
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
  const bool both_ends =
      !percent.empty() || (!metric.may_be_negative && needs_both_ends(value, half_width));
  return {.value = rounded(value, decimals_of(value, half_width, finest), style),
          .unit = percent,
          .spread = both_ends ? from_to(*ends95(metric), half_width, finest, style)
                              : absolute(value, half_width, style)};
}

std::string spread(double value, double half_width, const NumberStyle& style) {
  return relative_or_ends(value, half_width, positive_ends95(value, half_width), kMostDecimals,
                          style);
}

std::string rate(double per_second, const std::optional<double>& half_width,
                 const NumberStyle& style) {
  constexpr std::array kPrefixes = {" /s", " k/s", " M/s", " G/s", " T/s"};
  constexpr double kPrecise = 0.01;  // below this relative half-width a third digit is known
  const double relative = half_width.value_or(INFINITY) / per_second;
  const int digits = relative < kPrecise ? 3 : 2;
  const double limit = digits == 3 ? 999.5 : 995;  // from here on it would round to 1,000
  std::size_t prefix = 0;
  for (; per_second >= limit && prefix + 1 < kPrefixes.size(); ++prefix) per_second /= 1000;
  std::string text =
      rounded(per_second, decimals_for_digits(per_second, digits), style) + kPrefixes[prefix];
  if (half_width && *half_width > 0) text += ' ' + spread(per_second, relative * per_second, style);
  return text;
}

std::string used(double cpus, const std::optional<double>& half_width, std::string_view unit,
                 const NumberStyle& style) {
  constexpr int kDecimals = 3;
  const bool uncertain = half_width && *half_width > 0;
  std::string text =
      rounded(cpus, uncertain ? decimals_of(cpus, *half_width, kDecimals) : kDecimals, style);
  (text += ' ') += unit;
  if (uncertain) text += ' ' + spread(cpus, *half_width, style);
  return text;
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
  if (value == 0) return "0 s";
  const int decimals = value < 0.001 ? 6 : value < 1 ? 4 : 3;
  return fixed(value, decimals, style) + " s";
}

}  // namespace tacho

#include "compare/change_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/safe_text.hpp"
#include "base/shell_line.hpp"

namespace tacho {
namespace {

constexpr int kMostDecimals = 3;

struct Prefix {
  double from;  // s
  const char* unit;
};
constexpr std::array<Prefix, 4> kTimes{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};

// The decimals that show two digits of a half-width that begins with 1, 2 or 3, else one.
int decimals_for(double half_width) {
  if (!std::isfinite(half_width)) return 0;
  if (!(half_width > 0)) return 2;
  const double power = std::floor(std::log10(half_width));
  const bool two = half_width / std::pow(10.0, power) < 3.55;
  return std::clamp(static_cast<int>(two ? 1 - power : -power), 0, kMostDecimals);
}

// "+4.9", "-0.3", "0.0"
std::string with_sign(double value, int decimals, const NumberStyle& style) {
  const std::string text = fixed(value, decimals, style);
  const bool zero = std::abs(value) < 0.5 * std::pow(10.0, -decimals);
  if (zero) return fixed(0, decimals, style);
  return value > 0 ? "+" + text : text;
}

bool is_exact(const PairedChange& change) {
  return change.low == change.high;
}

bool is_finite(const PairedChange& change) {
  return std::isfinite(change.low) && std::isfinite(change.high);
}

// Doubled or more: a factor is easier to read than a percentage.
bool is_large(const PairedChange& change) {
  return change.scale == ChangeScale::ratio && change.estimate >= 1;
}

// The factor from the metric's unit to the shown one, and the latter.
struct ShownUnit {
  double factor = 1;
  std::string name;
};

ShownUnit unit_for(double value, const std::string& unit) {
  if (unit != "s" && unit != "ns") return {1, unit};
  const double seconds = std::abs(value) * (unit == "ns" ? 1e-9 : 1);
  const auto fits = [seconds](const Prefix& prefix) { return seconds >= prefix.from; };
  const auto found = std::ranges::find_if(kTimes, fits);
  const Prefix& prefix = found == kTimes.end() ? kTimes.back() : *found;
  return {(unit == "ns" ? 1e-9 : 1) / prefix.from, prefix.unit};
}

// The numbers of a change: in per cent, times, or the metric's unit.
struct Numbers {
  double estimate, low, high;
  std::string unit;  // with the space before it
  bool times = false;
};

Numbers numbers_of(const PairedChange& change, const ComparedMetric& metric) {
  if (is_large(change))
    return {change.estimate + 1, change.low + 1, change.high + 1, " times", true};
  if (change.scale == ChangeScale::ratio)
    return {100 * change.estimate, 100 * change.low, 100 * change.high, " %"};
  const ShownUnit unit =
      unit_for(std::max(std::abs(change.low), std::abs(change.high)), metric.unit);
  return {change.estimate * unit.factor, change.low * unit.factor, change.high * unit.factor,
          unit.name.empty() ? "" : " " + unit.name};
}

std::string number(double value, const Numbers& numbers, const NumberStyle& style) {
  int decimals = decimals_for((numbers.high - numbers.low) / 2);
  // The end of an interval that excludes 0 must not look like 0.
  const bool excludes = numbers.low > 0 || numbers.high < 0;
  while (excludes && value != 0 && std::abs(value) < 0.5 * std::pow(10.0, -decimals) &&
         decimals < kMostDecimals)
    ++decimals;
  return numbers.times ? fixed(value, decimals, style) : with_sign(value, decimals, style);
}

// "less CPU time", "fewer cycles", "3.2 times the CPU time"
std::string less_or_more(const PairedChange& change, const ComparedMetric& metric,
                         const NumberStyle& style) {
  const Numbers numbers = numbers_of(change, metric);
  const std::string name = printable(metric.name);
  if (numbers.times) return number(numbers.estimate, numbers, style) + " times the " + name;
  const int decimals = decimals_for((numbers.high - numbers.low) / 2);
  return fmt::format("{}{} {} {}", fixed(std::abs(numbers.estimate), decimals, style), numbers.unit,
                     verdict_word(change, metric), name);
}

// "(4.3…5.7 %)": the interval without signs, as the word beside it says less or more.
std::string unsigned_range(const PairedChange& change, const ComparedMetric& metric,
                           const NumberStyle& style) {
  if (is_exact(change)) return "exactly";
  Numbers numbers = numbers_of(change, metric);
  const bool less = change.verdict == ChangeVerdict::less;
  const auto without_sign = [&](double value) {
    const std::string text = number(value, numbers, style);
    return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
  };
  return fmt::format("{} to {}{}", without_sign(less ? numbers.high : numbers.low),
                     without_sign(less ? numbers.low : numbers.high),
                     numbers.times ? "" : numbers.unit);
}

// "within -3 and +8 %"
std::string within(const PairedChange& change, const ComparedMetric& metric,
                   const NumberStyle& style) {
  if (!is_finite(change)) return "too few pairs";
  const Numbers numbers = numbers_of(change, metric);
  return fmt::format("within {} and {}{}", number(numbers.low, numbers, style),
                     number(numbers.high, numbers, style), numbers.unit);
}

}  // namespace

std::string amount(double value, double scale_of, const std::string& unit,
                   const NumberStyle& style) {
  if (unit == "bytes") return bytes(static_cast<std::uint64_t>(std::max(value, 0.0)), style);
  if (value == 0) return "0";
  const ShownUnit shown = unit_for(scale_of, unit);
  if (shown.name.empty()) return brief(value, style);
  constexpr int kDigits = 4;
  const double largest = std::abs(scale_of * shown.factor);
  const int whole_digits = largest < 1 ? 1 : 1 + static_cast<int>(std::floor(std::log10(largest)));
  return fixed(value * shown.factor, std::clamp(kDigits - whole_digits, 0, kMostDecimals), style) +
         " " + shown.name;
}

std::string change_of(const PairedChange& change, const ComparedMetric& metric,
                      const NumberStyle& style) {
  if (change.verdict == ChangeVerdict::missing) return "not known";
  const Numbers numbers = numbers_of(change, metric);
  return number(numbers.estimate, numbers, style) + numbers.unit;
}

std::string range_of(const PairedChange& change, const ComparedMetric& metric,
                     const NumberStyle& style) {
  if (change.verdict == ChangeVerdict::missing || is_exact(change)) return {};
  if (!is_finite(change)) return "(too few pairs)";
  const Numbers numbers = numbers_of(change, metric);
  return fmt::format("({}…{})", number(numbers.low, numbers, style),
                     number(numbers.high, numbers, style));
}

std::string verdict_word(const PairedChange& change, const ComparedMetric& metric) {
  switch (change.verdict) {
    case ChangeVerdict::less:
      return metric.unit.empty() ? "fewer" : "less";
    case ChangeVerdict::more:
      return "more";
    case ChangeVerdict::equal:
      return "the same";
    case ChangeVerdict::undecided:
      return "not decided";
    case ChangeVerdict::missing:
      break;
  }
  return "not known";
}

std::string missing_reason(const ComparedMetric& metric) {
  if (!metric.reason.empty()) return metric.reason;
  if (metric.name == kMemory) return "the kernel includes tacho's own memory";
  return "no run has a value";
}

std::string shown_command(const ComparedCommand& command) {
  std::vector<std::string> words = command.environment;
  words.insert(words.end(), command.words.begin(), command.words.end());
  std::string text = shell_line(words);
  if (!command.input.empty()) text += " < " + command.input;
  if (!command.directory.empty()) text += " in " + command.directory;
  return printable(text);
}

std::string shown_name(const PairedRuns& runs, std::size_t member) {
  const BlockMember& who = runs.members[member];
  const std::string name = printable(runs.commands[who.command].shown());
  return who.role == BlockMember::Role::control ? name + " again" : name;
}

std::string sentence(const PairedChange& change, const PairedRuns& runs, const NumberStyle& style) {
  const ComparedMetric& metric = runs.metrics[change.metric];
  const std::string first = shown_name(runs, 0);
  const std::string other = shown_name(runs, change.member);
  const std::string name = printable(metric.name);
  switch (change.verdict) {
    case ChangeVerdict::less:
    case ChangeVerdict::more:
      return fmt::format("{} {} {} {} {} ({})", other, metric.unit.empty() ? "has" : "takes",
                         less_or_more(change, metric, style), is_large(change) ? "of" : "than",
                         first, unsigned_range(change, metric, style));
    case ChangeVerdict::equal:
      return fmt::format("{} and {} have the same {}{}", first, other, name,
                         runs.exact() ? "" : " in every pair");
    case ChangeVerdict::undecided:
      return fmt::format("No difference in {} is shown between {} and {}: {}", name, first, other,
                         within(change, metric, style));
    case ChangeVerdict::missing:
      break;
  }
  return fmt::format("{} of {} and {} is not known", name, first, other);
}

std::string clause(const PairedChange& change, const PairedRuns& runs, const NumberStyle& style) {
  const ComparedMetric& metric = runs.metrics[change.metric];
  const std::string name = printable(metric.name);
  switch (change.verdict) {
    case ChangeVerdict::less:
    case ChangeVerdict::more:
      return fmt::format("{}: {} {}", name, change_of(change, metric, style),
                         range_of(change, metric, style));
    case ChangeVerdict::equal:
      return fmt::format("{}: the same", name);
    case ChangeVerdict::undecided:
      return fmt::format("{}: not decided, {}", name, within(change, metric, style));
    case ChangeVerdict::missing:
      break;
  }
  return fmt::format("{}: not known", name);
}

}  // namespace tacho

#include "locate/time_slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/parse_number.hpp"

namespace tacho {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;  // ns
constexpr std::uint64_t kMostSeconds = std::numeric_limits<std::uint64_t>::max() / kSecond - 1;

std::unexpected<Error> no_time(std::string_view text) {
  return failure(
      fmt::format("--time '{}' is no stretch of time", text),
      "give its begin and its end: seconds on the recording's clock (1234.5,1240), seconds "
      "after the first sample (+1,+2.5) or percentages (10%-20%)");
}

// "1234.567890123" in ns. A floating-point number would not hold all digits of a clock.
std::optional<std::uint64_t> nanoseconds(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const auto seconds = parse_number<std::uint64_t>(text.substr(0, point));
  std::string fraction(text.substr(std::min(point + 1, text.size())));
  if (!seconds || *seconds > kMostSeconds || (point < text.size() && fraction.empty()))
    return std::nullopt;
  fraction.resize(9, '0');  // digits beyond nanoseconds are left out
  const auto rest = parse_number<std::uint64_t>(fraction);
  if (!rest) return std::nullopt;
  return *seconds * kSecond + *rest;
}

// "10%" as 0.1
std::optional<double> share_of(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const auto percent = parse_number<double>(text.substr(0, text.size() - 1));
  if (!percent || *percent < 0 || *percent > 100) return std::nullopt;
  return *percent / 100;
}

// "10%-20%" or "10%/2"
std::optional<TimeSlice> slice_by_share(std::string_view text) {
  TimeSlice slice{.origin = TimeOrigin::share};
  const std::size_t mark = text.find_first_of("-/");
  if (mark == text.npos) return std::nullopt;
  const auto first = share_of(text.substr(0, mark));
  if (!first) return std::nullopt;
  if (text[mark] == '-') {
    const auto last = share_of(text.substr(mark + 1));
    if (!last || *last <= *first) return std::nullopt;
    slice.from_share = *first;
    slice.to_share = *last;
    return slice;
  }
  const auto which = parse_number<unsigned>(text.substr(mark + 1));
  if (!which || *which == 0 || (*which - 1) * *first >= 1) return std::nullopt;
  slice.from_share = (*which - 1) * *first;
  slice.to_share = std::min(*which * *first, 1.0);
  return slice;
}

// "A,B" with seconds, both with "+" or none
std::optional<TimeSlice> slice_by_seconds(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos || text.size() == 1) return std::nullopt;
  TimeSlice slice;
  std::string_view from = text.substr(0, comma), to = text.substr(comma + 1);
  const bool relative = from.starts_with('+') || to.starts_with('+');
  for (std::string_view* side : {&from, &to}) {
    if (relative && !side->empty() && !side->starts_with('+')) return std::nullopt;
    if (relative && !side->empty()) side->remove_prefix(1);
  }
  if (relative) slice.origin = TimeOrigin::first_sample;
  const auto first = from.empty() ? slice.from_ns : nanoseconds(from);
  const auto last = to.empty() ? slice.to_ns : nanoseconds(to);
  if (!first || !last || *last < *first) return std::nullopt;
  slice.from_ns = *first;
  slice.to_ns = *last;
  return slice;
}

// Calls `use` with each part between separators; empty parts are left out.
template <class Use>
void each_part(std::string_view text, std::string_view separators, const Use& use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

Result<std::vector<TimeSlice>> parse_time_slices(std::string_view text) {
  std::vector<TimeSlice> slices;
  bool good = true;
  const auto add = [&](const std::optional<TimeSlice>& slice) {
    good = good && slice;
    if (slice) slices.push_back(*slice);
  };
  if (text.find('%') != text.npos)
    each_part(text, " ,", [&](std::string_view part) { add(slice_by_share(part)); });
  else
    each_part(text, " ", [&](std::string_view part) { add(slice_by_seconds(part)); });
  if (!good || slices.empty()) return no_time(text);
  return slices;
}

std::vector<TimeSlice> on_clock(std::vector<TimeSlice> slices, const SampleTimeRange& range) {
  const auto length = static_cast<double>(range.last_ns - range.first_ns);
  const auto after_first = [&](std::uint64_t ns) {
    constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
    return ns > kEnd - range.first_ns ? kEnd : range.first_ns + ns;
  };
  for (TimeSlice& slice : slices) {
    if (slice.origin == TimeOrigin::share) {
      const auto at = [&](double share) { return static_cast<std::uint64_t>(length * share); };
      slice.from_ns = at(slice.from_share);
      slice.to_ns = at(slice.to_share);
      if (slice.to_share < 1 && slice.to_ns > slice.from_ns) --slice.to_ns;
      if (slice.to_share >= 1) slice.to_ns = range.last_ns - range.first_ns;
    }
    if (slice.origin != TimeOrigin::clock) {
      slice.from_ns = after_first(slice.from_ns);
      slice.to_ns = after_first(slice.to_ns);
    }
    slice.origin = TimeOrigin::clock;
  }
  return slices;
}

std::vector<TimeSpan> disjoint(std::span<const TimeSlice> slices) {
  std::vector<TimeSpan> spans;
  for (const TimeSlice& slice : slices) spans.push_back({slice.from_ns, slice.to_ns});
  std::ranges::sort(spans, {}, &TimeSpan::begin_ns);
  std::vector<TimeSpan> made;
  for (const TimeSpan& span : spans)
    if (made.empty() || made.back().end_ns < span.begin_ns)
      made.push_back(span);
    else
      made.back().end_ns = std::max(made.back().end_ns, span.end_ns);
  return made;
}

}  // namespace tacho

#include "perfdata/recorder_notes.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "base/parse_number.hpp"

namespace tacho::perfdata {
namespace {

constexpr std::string_view kSeparator = ", ";
constexpr std::string_view kCounted = "counted";
constexpr std::string_view kUnknown = "-";  // a count that is not known
constexpr std::string_view kCpuTime = " ns of CPU time";
constexpr std::string_view kSpan = "sampled from ";  // "sampled from 1200 to 3400 ns"
constexpr std::string_view kTo = " to ", kNanoseconds = " ns";
constexpr std::string_view kSampleCost = " ns a sample";
constexpr std::string_view kUnfinished = "not finished";  // the recorder is at work, or was killed
constexpr std::size_t kMostEvents = 1 << 16;

// "70123456 ns of CPU time" has the number before the unit.
OptionalU64 number_before(std::string_view note, std::string_view unit) {
  if (!note.ends_with(unit)) return {};
  return parse_number<std::uint64_t>(note.substr(0, note.size() - unit.size()));
}

bool take_cost(std::string_view note, Description& description) {
  const OptionalU64 cost = number_before(note, kSampleCost);
  if (cost) description.sample_cost_ns = static_cast<double>(*cost);
  return cost.has_value();
}

bool take_cpu_time(std::string_view note, Description& description) {
  const OptionalU64 time = number_before(note, kCpuTime);
  if (time) description.cpu_time_ns = time;
  return time.has_value();
}

bool take_span(std::string_view note, Description& description) {
  const std::size_t to = note.find(kTo, kSpan.size());
  if (!note.starts_with(kSpan) || to == note.npos) return false;
  const auto begin = parse_number<std::uint64_t>(note.substr(kSpan.size(), to - kSpan.size()));
  const auto end = number_before(note.substr(to + kTo.size()), kNanoseconds);
  if (!begin || !end || *end < *begin) return false;
  description.begin_ns = begin;
  description.end_ns = end;
  return true;
}

bool take_counts(std::string_view note, Description& description) {
  if (!note.starts_with(kCounted)) return false;
  note.remove_prefix(kCounted.size());
  std::vector<OptionalU64> counts;
  while (!note.empty()) {
    if (note.front() != ' ' || counts.size() == kMostEvents) return false;
    note.remove_prefix(1);
    const std::string_view word = note.substr(0, note.find(' '));
    counts.push_back(parse_number<std::uint64_t>(word));
    if (!counts.back() && word != kUnknown) return false;
    note.remove_prefix(word.size());
  }
  description.counted = std::move(counts);
  return true;
}

bool take_unfinished(std::string_view note, Description& description) {
  if (note != kUnfinished) return false;
  return description.unfinished = true;
}

}  // namespace

std::string version_with_notes(const Description& description) {
  std::string text = description.perf_version;
  if (!description.counted.empty()) {
    (text += kSeparator) += kCounted;
    for (const OptionalU64& count : description.counted)
      text += ' ' + (count ? std::to_string(*count) : std::string(kUnknown));
  }
  if (description.cpu_time_ns)
    text += fmt::format("{}{}{}", kSeparator, *description.cpu_time_ns, kCpuTime);
  if (description.begin_ns && description.end_ns)
    text += fmt::format("{}{}{}{}{}{}", kSeparator, kSpan, *description.begin_ns, kTo,
                        *description.end_ns, kNanoseconds);
  if (description.sample_cost_ns)
    text += fmt::format("{}{:.0f}{}", kSeparator, *description.sample_cost_ns, kSampleCost);
  if (description.unfinished) (text += kSeparator) += kUnfinished;
  return text;
}

void take_version(std::string text, Description& description) {
  if (description.pipe)
    description.unfinished = false;  // a stream repeats its description at its end
  for (std::size_t at = text.rfind(kSeparator); at != text.npos; at = text.rfind(kSeparator)) {
    const std::string_view note = std::string_view(text).substr(at + kSeparator.size());
    if (!take_cost(note, description) && !take_cpu_time(note, description) &&
        !take_span(note, description) && !take_counts(note, description) &&
        !take_unfinished(note, description))
      break;
    text.resize(at);
  }
  description.perf_version = std::move(text);
}

}  // namespace tacho::perfdata

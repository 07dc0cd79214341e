#include "events/general_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "events/format_term.hpp"

namespace tacho {
namespace {

std::unexpected<Error> bad_term(std::string_view spec, std::string_view reason,
                                std::string_view remedy) {
  return failure(fmt::format("event '{}': {}", spec, reason), std::string(remedy));
}

// A number from 1 to `most`.
Result<std::uint64_t> term_number(std::string_view key, std::string_view value,
                                  std::string_view spec, std::uint64_t most) {
  const auto parsed = parse_number(value);
  if (!parsed) return bad_term(spec, fmt::format("{}: {}", key, parsed.error().what), "correct it");
  if (*parsed < 1 || *parsed > most)
    return bad_term(spec, fmt::format("{}={} is not possible", key, value),
                    fmt::format("give a number from 1 to {}", most));
  return *parsed;
}

constexpr std::uint64_t kLongestPeriod = std::numeric_limits<std::int64_t>::max();  // of the kernel

Result<void> set_name(std::string_view value, std::string_view spec, Event& event) {
  if (value.empty()) return bad_term(spec, "name= has no value", "write name=TEXT");
  event.name = value;
  return {};
}

Result<void> set_period(std::string_view value, std::string_view spec, Event& event) {
  event.sampling.period = TACHO_TRY(term_number("period", value, spec, kLongestPeriod));
  return {};
}

Result<void> set_frequency(std::string_view value, std::string_view spec, Event& event) {
  event.sampling.frequency = TACHO_TRY(term_number("freq", value, spec, kLongestPeriod));
  return {};
}

struct GeneralTerm {
  std::string_view key;
  Result<void> (*apply)(std::string_view value, std::string_view spec, Event& event);
};
constexpr auto kGeneralTerms = std::to_array<GeneralTerm>(
    {{"name", set_name}, {"period", set_period}, {"freq", set_frequency}});

// perf's other terms (parse-events.l), and what to do instead.
struct PerfsTerm {
  std::string_view key;
  std::string_view remedy;
};
constexpr auto kPerfsTerms = std::to_array<PerfsTerm>({
    {"call-graph", "leave it out, and record with --call-graph: it is for all events"},
    {"stack-size", "leave it out, and record with --call-graph dwarf,BYTES"},
    {"branch_type", "leave it out, and record with -b: all taken branches of all events"},
    {"time", "leave it out: each sample has its time"},
    {"max-stack", "leave it out: kernel.perf_event_max_stack limits the chains of all events"},
    {"nr", "leave it out: chains have kernel.perf_event_max_stack callers at most"},
    {"inherit", "leave it out: each event counts threads and processes that start later"},
    {"no-inherit", "leave it out: each event counts threads and processes that start later"},
    {"overwrite", "leave it out: buffers are emptied before they are full"},
    {"no-overwrite", "leave it out: no buffer is overwritten"},
    {"driver-config", "leave it out: no event has settings of a driver"},
    {"percore", "leave it out; tacho stat -a --per-cpu shows each CPU"},
    {"aux-output", "leave it out: tacho records no AUX data"},
    {"aux-action", "leave it out: tacho records no AUX data"},
    {"aux-sample-size", "leave it out: tacho records no AUX data"},
    {"metric-id", "leave it out: metrics find their events by name"},
    {"ratio-to-prev", "leave it out, and give the event a period: period=N"},
});

}  // namespace

Result<bool> apply_general_term(std::string_view key, std::string_view value, std::string_view spec,
                                Event& event) {
  const auto* const unsupported = std::ranges::find(kPerfsTerms, key, &PerfsTerm::key);
  if (unsupported != kPerfsTerms.end())
    return bad_term(spec, fmt::format("perf's term '{}' is not supported", key),
                    unsupported->remedy);
  const auto* const term = std::ranges::find(kGeneralTerms, key, &GeneralTerm::key);
  if (term == kGeneralTerms.end()) return false;
  TACHO_TRY(term->apply(value, spec, event));
  if (event.sampling.period && event.sampling.frequency)
    return bad_term(spec, "period and freq exclude each other", "give one of them");
  return true;
}

Result<void> apply_general_terms(std::string_view terms, std::string_view spec, Event& event) {
  while (!terms.empty()) {
    const std::size_t comma = terms.find(',');
    const std::string_view term = terms.substr(0, comma);
    terms.remove_prefix(comma == std::string_view::npos ? terms.size() : comma + 1);
    const std::size_t equals = term.find('=');
    const std::string_view key = term.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : term.substr(equals + 1);
    const bool known = TACHO_TRY(apply_general_term(key, value, spec, event));
    if (!known)
      return bad_term(spec, fmt::format("'{}' is no term of an event without a PMU", term),
                      "its terms are name=TEXT, period=N and freq=HZ");
  }
  return {};
}

}  // namespace tacho

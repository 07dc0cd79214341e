// What a profile says, as rows: by module, function, line or instruction; and who called whom.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/metric.hpp"
#include "locate/resolver.hpp"
#include "profile/profile.hpp"
#include "profile/row_metrics.hpp"
#include "stats/share.hpp"

namespace tacho {

enum class SortBy : std::uint8_t { module, function, line, instruction };
std::string_view to_string(SortBy);

struct ProfileRow {
  std::string module, path;
  std::string function;   // without parameters; empty when it is not known, or by module
  std::string signature;  // whole
  std::string file;       // by line and instruction; empty when it is not known
  unsigned line = 0;
  std::optional<std::uint64_t> address;  // by instruction, as the module's tables have it
  std::vector<SampleCount> counts;       // by event
  std::vector<CountInterval> counts95;   // of their sums
  double share = 0;                      // of the chosen event
  ShareInterval ci95;
  // Share of the samples in whose call chains the row stands; none when there are no chains.
  std::optional<double> total;
  ShareInterval total_ci95;
  std::vector<RowMetric> metrics;
};

struct SampledEvent {
  std::string name;
  SampleCount count;
  std::uint64_t period = 0, frequency = 0;  // one of them; both 0: the recording does not tell
  std::uint64_t exact = 0;                  // samples without skid
  bool clock = false;                       // it counts ns
  // Not: it has no samples of its own, and was read whenever its group's leader was sampled
  // (perf's modifier S).
  bool is_sampled() const { return period > 0 || frequency > 0 || count.samples > 0; }
};

// Whether two rows that follow each other can be told apart.
struct Comparison {
  std::size_t row = 0;  // compared with the one behind it
  bool apart = false;
  std::optional<std::uint64_t> missing;  // samples; none: their shares are equal so far
};

struct ProfileSummary {
  std::vector<SampledEvent> events;
  std::size_t event = 0;  // the chosen one
  SortBy sort = SortBy::function;
  bool has_chains = false;
  std::vector<ProfileRow> rows;  // most of the chosen event first
  ShareInterval absent95;        // of the share of what has no sample
  bool exact = false;            // each event was a sample, and nothing is left to chance
  std::vector<Comparison> comparisons;
  std::vector<std::string> warnings;
  // Of the recording; empty or none where it does not tell.
  std::vector<std::string> command;
  std::string host, kernel, cpu, recorded_by;
  std::optional<double> seconds;  // from the first sample to the last
  // What a sample took from the program, in nanoseconds, and all of them of the time of one CPU.
  std::optional<double> sample_cost_ns, overhead;
  std::uint64_t lost = 0, throttled = 0;
};

// The event that a user means by `name`. An error names those there are.
Result<std::size_t> named_event(std::string_view name, const perfdata::Description&);
// The event that --event means: by name, or by its only namesake without modifiers. Empty: the
// first that has samples. An error names those there are.
Result<std::size_t> choose_event(std::string_view name, const Profile&,
                                 const perfdata::Description&);

std::vector<SampledEvent> sampled_events(const Profile&, const perfdata::Description&);

// What makes a profile doubtful, a line each.
std::vector<std::string> recording_warnings(const Profile&, std::size_t event);

ProfileSummary summarize(const Profile&, const perfdata::Description&, Resolver&, SortBy,
                         std::size_t event, std::span<const Metric> metrics);

// Who called a function, or whom it called: of all samples that have it in their chains, by the
// function next to its innermost call.
struct CallShare {
  std::string module, function;  // function empty: unknown. Both empty: none, see CallView
  SampleCount count;
  double share = 0;  // of the function's
  ShareInterval ci95;
};
struct CallView {
  std::string module, function;  // of overloads that the name means, all
  bool callers = true;
  SampleCount total;  // samples that have the function in their chains
  // Most first. Without a caller it was the outermost; without a callee the samples are its own.
  std::vector<CallShare> rows;
};
// Errors: no such function in the chains, or a recording without chains.
Result<CallView> call_view(const Profile&, Resolver&, std::size_t event,
                           const std::string& function, bool callers);

}  // namespace tacho

// A profile as rows: by module, function, line or instruction, each with its shares and metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/metric.hpp"
#include "locate/resolver.hpp"
#include "locate/sample_choice.hpp"
#include "profile/profile.hpp"
#include "profile/row_metrics.hpp"
#include "profile/sampled_event.hpp"
#include "stats/share.hpp"

namespace tacho {

// By where the samples fell, or by whose they are.
enum class SortBy : std::uint8_t {
  module,
  function,
  line,
  instruction,
  command,  // from here on in the order of OwnerKind
  process,
  thread,
  cpu
};
std::string_view to_string(SortBy);
// Whether rows say whose samples they are. The profile must have kept owners.
constexpr bool is_by_owner(SortBy sort) {
  return sort >= SortBy::command;
}

struct ProfileRow {
  std::string module, path;
  std::string function;   // without parameters; empty if it is not known, or by module
  std::string signature;  // with parameters
  std::string file;       // by line and instruction; empty if it is not known
  unsigned line = 0;
  std::optional<std::uint64_t> address;  // by instruction, as in the module's symbol tables
  // Whose samples these are, by command, process, thread and CPU. None: the samples do not say it.
  std::string command;
  std::optional<std::int32_t> pid, tid, cpu;
  std::vector<SampleCount> counts;      // by event
  std::vector<CountInterval> counts95;  // of the sums in `counts`
  double share = 0;                     // of the chosen event
  ShareInterval ci95;
  // Share of the samples that have the row in their call chains; none if there are no chains.
  std::optional<double> total;
  ShareInterval total_ci95;        // its upper end allows for chains that were cut
  bool total_is_at_least = false;  // chains that were cut may have the row, too
  std::vector<RowMetric> metrics;
};

// Whether the shares of two consecutive rows differ significantly.
struct Comparison {
  std::size_t row = 0;  // compared with the next one
  bool apart = false;
  std::optional<std::uint64_t>
      missing;  // samples that would show it; none: their shares are equal so far, or `hidden`
  bool hidden = false;  // the events that no sample can show may reverse the order
};

struct ProfileSummary {
  std::vector<SampledEvent> events;
  std::size_t event = 0;  // the chosen one
  SortBy sort = SortBy::function;
  bool has_chains = false;
  std::vector<ProfileRow> rows;         // most of the chosen event first
  std::size_t callers_left_out = 0;     // rows without samples of their own
  std::optional<ChosenSamples> chosen;  // none: all samples
  ShareInterval absent95;               // interval of the share of a row without samples
  bool exact = false;                   // each event was a sample: shares have no sampling error
  std::vector<Comparison> comparisons;
  std::vector<std::string> warnings;
  bool damaged = false;  // a part of the recording could not be read
  // Facts about the recording; empty or none if it does not have them.
  std::vector<std::string> command;
  std::string host, kernel, cpu, recorded_by;
  std::optional<double> seconds;  // from the first sample to the last
  // Times of the first and of the last sample, on the clock of the machine or of the simulation.
  std::optional<std::uint64_t> first_ns, last_ns;
  // Cost of a sample, and the share that all samples took of the CPU time, if a clock was sampled;
  // else of the time from the first sample to the last.
  std::optional<double> sample_cost_ns, overhead;
  bool overhead_of_cpu_time = false;
  std::uint64_t lost = 0, throttled = 0;
  std::uint64_t cut_chains = 0;  // of the chosen event's samples
  std::size_t pieces = 1;        // files that were read as one recording
};

// What makes a profile doubtful, one warning each. Comes after all names were looked up, because
// the resolver has warnings, too.
std::vector<std::string> profile_warnings(const Profile&, const perfdata::Description&, Resolver&,
                                          std::size_t event);

ProfileSummary summarize(const Profile&, const perfdata::Description&, Resolver&, SortBy,
                         std::size_t event, std::span<const Metric> metrics);

}  // namespace tacho

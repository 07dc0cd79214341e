// A profile as rows: by module, function, line or instruction, each with its shares and metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "events/metric.hpp"
#include "locate/recorded_target.hpp"
#include "locate/resolver.hpp"
#include "locate/sample_choice.hpp"
#include "profile/profile.hpp"
#include "profile/profile_row.hpp"
#include "profile/sampled_event.hpp"
#include "profile/sort_by.hpp"
#include "stats/share.hpp"

namespace tacho {

struct ProfileSummary {
  std::vector<SampledEvent> events;  // those that rows have counts of
  std::size_t event = 0;             // index of the chosen one
  SortBy sort = SortBy::function;
  bool has_chains = false;
  std::vector<ProfileRow> rows;         // most of the chosen event first
  std::size_t callers_left_out = 0;     // rows without samples of their own
  std::optional<ChosenSamples> chosen;  // none: all samples
  ShareInterval absent95;               // interval of the share of a row without samples
  bool exact = false;                   // each event was a sample: shares have no sampling error
  std::vector<Comparison> comparisons;
  std::vector<std::string> warnings;
  std::vector<std::string> limits;  // those of the warnings that say what was left out of the rows
  bool damaged = false;             // a part of the recording could not be read
  bool has_waits = false;           // it has events of waits, which are left out
  // Facts about the recording; empty or none if it does not have them.
  std::vector<std::string> command;
  RecordedTarget target;
  std::string host, kernel, cpu, architecture, recorded_by;
  std::optional<double> seconds;  // from the first sample to the last
  // Times of the first and of the last sample, on the clock of the machine or of the simulation.
  std::optional<std::uint64_t> first_ns, last_ns;
  // Cost of a sample, the CPU time of the sampled program, and the share of it that all samples
  // took. `tacho record` measures them.
  std::optional<double> sample_cost_ns, overhead;
  std::optional<std::uint64_t> cpu_time_ns;
  std::uint64_t lost = 0, throttled = 0;
  std::optional<std::uint64_t> most_lost_samples = {};  // of the lost records; or not known
  std::uint64_t cut_chains = 0;                         // of the chosen event's samples
  std::size_t pieces = 1;                               // files that were read as one recording
};

ProfileSummary summarize(const Profile&, const perfdata::Description&, Resolver&, SortBy,
                         std::size_t event, std::span<const Metric> metrics);

}  // namespace tacho

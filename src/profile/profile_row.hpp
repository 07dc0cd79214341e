// A row of a profile, and how two rows compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "locate/sample_count.hpp"
#include "profile/profile.hpp"
#include "profile/row_metrics.hpp"
#include "stats/share.hpp"

namespace tacho {

struct ProfileRow {
  std::string module, path;
  std::string function;   // without parameters; empty if it is not known, or by module
  std::string signature;  // with parameters
  // Where the function begins, if another one of the module has the same name (static functions,
  // code that a JIT compiler has made several times).
  std::optional<std::uint64_t> start;
  std::string file;  // by line and instruction; empty if it is not known
  unsigned line = 0;
  std::optional<std::uint64_t> address;  // by instruction, as in the module's symbol tables
  // Whose samples these are, by command, process, thread and CPU. None: the samples do not say it.
  std::string command;
  std::optional<std::int32_t> pid, tid, cpu;
  std::vector<SampleCount> counts;      // by event
  std::vector<CountInterval> counts95;  // of the sums in `counts`
  double share = 0;                     // of the chosen event
  ShareInterval ci95;
  double changes = 0;    // of the chosen event's samples: see Profile::changes
  std::size_t made = 0;  // number of the row in the order in which rows are made
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

}  // namespace tacho

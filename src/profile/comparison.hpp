// Compares the rows of profiles of two programs: before and after a change. A row is called changed
// if runs of one program differ less. docs/explanation/profile-accuracy.md explains why.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "locate/recording_pairs.hpp"
#include "profile/summary.hpp"
#include "stats/difference.hpp"
#include "stats/holm.hpp"

namespace tacho {

// Samples of a row in a recording, on average over both sides. Rows with fewer are not tested: they
// could hardly show a change, and each test makes all the others stricter. The average does not
// depend on which side has more, so the choice favours no claim (R. Bourgon, R. Gentleman,
// W. Huber, Independent filtering increases detection power, PNAS 107 (2010)).
inline constexpr double kFewestTestedSamples = 5;

// A row, or everything, in the recordings of one side. A recording without the row has 0 of it. The
// intervals are of this side alone. That of one recording covers sampling; that of several is
// Student's, of the mean over recordings.
struct SideFigures {
  std::uint64_t samples = 0;   // of all recordings together
  std::vector<double> counts;  // of the chosen event, in each recording
  Estimated count;             // mean over the recordings
  Estimated share;             // mean over the recordings
};

// After minus before, for a recording.
struct Change {
  // The estimate of stats/signed_rank.hpp; if it was not tested, the difference of the means, with
  // infinite limits.
  Estimated gained;
  std::optional<HolmTest> test;  // of everything, or of a row among all rows; none: not tested
  bool too_few_pairs = false;    // so it was not tested

  bool is_significant() const { return test && test->rejected; }
};

// A metric that has a value in each recording: its mean over the recordings of each side.
struct MetricChange {
  RowMetric before, after;
  double gained = 0;
};

struct RowChange {
  const ProfileRow* row_before = nullptr;  // in the first recording that has it; null if none has
  const ProfileRow* row_after = nullptr;
  SideFigures before, after;
  Change count;
  double share_gained = 0;
  std::vector<MetricChange> metrics;

  // The row of the newer side that has it.
  const ProfileRow& row() const { return row_after != nullptr ? *row_after : *row_before; }
};

struct ProfileComparison {
  Evidence evidence = Evidence::too_few;
  RecordingOrder order = RecordingOrder::unknown;
  SideFigures before, after;  // everything
  Change count;               // of everything
  std::vector<RowChange> rows;
  std::size_t tests = 0;  // of everything and of rows
};

// Compares the recordings of two programs, at least one a side, with the same event chosen and the
// same kind of rows. They must outlive the result.
//
// Two rows are the same if module, function, file and line are equal. Rows without a partner are
// then compared without module and folder, and paired if there is one such row on each side. The
// rows that gained or lost most events come first.
//
// A change is tested as `tacho compare` does it: by the differences of pairs, with the signed-rank
// test. Everything is tested by itself, and the rows together (stats/paired_changes.hpp). So of 100
// comparisons of a program with itself, at most 5 have a significant change of everything, and at
// most 5 of any row. An interval excludes 0 if, and only if, the change is significant.
ProfileComparison compare_profiles(std::span<const ProfileSummary> before,
                                   std::span<const ProfileSummary> after);

}  // namespace tacho

// Reports of `tacho report --compare`: the rows of the recordings of two programs and their
// changes, as text, JSON and CSV.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/comparison.hpp"
#include "profile/report.hpp"

namespace tacho {

// The recordings of one program, and their files in the same order.
struct ComparedSide {
  std::vector<std::string> files;
  std::span<const ProfileSummary> recordings;

  const SampledEvent& event() const;  // the chosen one, of the first recording
  bool is_exact() const;              // each event was a sample in each recording
};

struct ProfileComparisonReport {
  ComparedSide before, after;
  ProfileComparison comparison;  // of these recordings

  SortBy sort() const { return before.recordings.front().sort; }
  std::size_t shown(std::size_t limit) const;  // number of rows; 0 is no limit
};

// "more" or "less"; `none` if the change is not significant; empty if it was not tested.
std::string_view change_word(const Change&, std::string_view none);

// At most `limit` rows; 0: all.
std::string profile_comparison_text(const ProfileComparisonReport&, std::size_t limit,
                                    const TextStyle&);
std::string profile_comparison_json(const ProfileComparisonReport&, std::size_t limit,
                                    std::string_view version);
std::string profile_comparison_csv(const ProfileComparisonReport&, std::size_t limit);

}  // namespace tacho

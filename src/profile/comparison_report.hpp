// Reports of `tacho report --compare`: the rows of two profiles and their changes, as text, JSON
// and CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/comparison.hpp"
#include "profile/report.hpp"

namespace tacho {

struct ProfileComparisonReport {
  std::string before_name, after_name;  // the recordings' files
  const ProfileSummary& before;
  const ProfileSummary& after;
  std::vector<RowChange> changes;
};

// At most `limit` rows; 0: all.
std::string profile_comparison_text(const ProfileComparisonReport&, std::size_t limit,
                                    const TextStyle&);
std::string profile_comparison_json(const ProfileComparisonReport&, std::size_t limit,
                                    std::string_view version);
std::string profile_comparison_csv(const ProfileComparisonReport&, std::size_t limit);

}  // namespace tacho

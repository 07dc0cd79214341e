// The page of `tacho report --html`: the call tree, its samples over time, the rows and the hottest
// code. docs/reference/pages.md describes the data.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "page/page.hpp"
#include "profile/change_tree.hpp"
#include "profile/comparison_report.hpp"
#include "profile/recorded_profile.hpp"

namespace tacho {

// The code of the hottest functions, as members of a page. A function has the code of those that
// were inlined into it: the profile and the resolver must not show them as functions.
std::string hottest_code(const RecordedProfile&, Resolver&, std::string_view version);

// The recording must have been read with SampleDetails::times. `code` is the hottest_code(). The
// page has at most `rows` rows of its summary.
Page profile_page(const RecordedProfile&, Resolver&, const ProfileSummary&, const std::string& code,
                  std::size_t rows, std::string_view version);

// The page of `tacho report --compare … --html`. The tree has the recordings of both sides.
Page profile_changes_page(const ProfileComparisonReport&, const ChangeTree&, std::size_t rows,
                          std::string_view version);

}  // namespace tacho

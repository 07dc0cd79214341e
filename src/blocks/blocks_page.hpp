// The pages of `tacho blocks --html`.
#pragma once

#include <cstddef>
#include <string_view>

#include "blocks/branch_recording.hpp"
#include "blocks/comparison_text.hpp"
#include "blocks/report.hpp"
#include "page/page.hpp"

namespace tacho {

// At most `limit` runs; 0: all.
Page blocks_page(const BranchRecording&, const BlocksReport&, std::size_t limit,
                 std::string_view version);
Page blocks_comparison_page(const BranchRecording& first, const ComparisonReport&,
                            std::string_view version);

}  // namespace tacho

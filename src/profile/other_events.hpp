// Says which event a report shows, and where the samples of the other events fell if its rows do
// not show it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profile/annotation.hpp"
#include "profile/summary.hpp"

namespace tacho {

// "of all samples of cycles; -e EVENT shows another event". With chosen samples: of which.
std::string basis_words(const std::vector<SampledEvent>&, std::size_t event,
                        const std::optional<ChosenSamples>&);

// For each other event whose hottest row is not among the first `shown` ones: a sentence with it.
std::vector<std::string> hidden_rows(const ProfileSummary&, std::size_t shown);

}  // namespace tacho

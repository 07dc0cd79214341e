#include "profile/row_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tacho {
namespace {

// How many rows from the top are compared with the next one. Readers look at the first few.
constexpr std::size_t kCompared = 5;

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// The pairs of rows that are compared, by the numbers that `row_of` has.
Pairs compared_pairs(const std::vector<ProfileRow>& rows) {
  Pairs pairs;
  for (std::size_t i = 0; i + 1 < std::min(rows.size(), kCompared) && rows[i + 1].share > 0; ++i)
    pairs.emplace_back(rows[i].made, rows[i + 1].made);
  return pairs;
}

// `worth` is the number of independent samples that the difference is worth. `missing` is a number
// of samples as they were taken.
Comparison compare(const ProfileRow& a, const ProfileRow& b, double worth, double samples,
                   double unseen) {
  Comparison made;
  made.hidden = (a.share - b.share) * (1 - unseen) < unseen;
  if (made.hidden) return made;
  made.apart = shares_differ(a.share, b.share, worth);
  made.missing = samples_still_needed(a.share, b.share, worth);
  if (made.missing && *made.missing > 0) {
    constexpr double kBeyond = 0x1p64;  // periods can be so unequal that no number has room for it
    const double needed = std::ceil(static_cast<double>(*made.missing) * samples / worth);
    made.missing = needed < kBeyond ? static_cast<std::uint64_t>(needed)
                                    : std::numeric_limits<std::uint64_t>::max();
  }
  return made;
}

}  // namespace

std::vector<Comparison> compare_neighbours(const Profile& profile, std::size_t event,
                                           std::size_t counted, std::span<const std::size_t> row_of,
                                           const std::vector<ProfileRow>& rows) {
  const SampleCount total = profile.total(event);
  const double unseen = profile.unsampled(event).share(total.sum);
  const Pairs pairs = compared_pairs(rows);
  std::vector<double> exchanges(pairs.size(), std::numeric_limits<double>::infinity());
  if (!row_of.empty()) exchanges = profile.exchanges(event, row_of, pairs);
  std::vector<Comparison> comparisons;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const ProfileRow& a = rows[i];
    const ProfileRow& b = rows[i + 1];
    SampleCount both = a.counts[counted];
    both += b.counts[counted];
    // A change from one to the other is in both numbers of changes, and its square is 4.
    const double changes = a.changes + b.changes + 2 * exchanges[i];
    const double worth = profile.worth_of_difference(event, both, total, changes);
    comparisons.push_back(compare(a, b, worth, static_cast<double>(total.samples), unseen));
    comparisons.back().row = i;
  }
  return comparisons;
}

}  // namespace tacho

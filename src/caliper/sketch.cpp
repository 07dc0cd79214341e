// Sketches that were added up, and their quantiles.
#include "caliper/sketch.hpp"

#include <algorithm>
#include <cmath>

namespace tacho::caliper {

void Distribution::add(const Sketch& sketch, std::uint64_t minimum, std::uint64_t maximum) {
  const std::size_t end = Sketch::bucket_of(maximum) + 1;
  std::vector<Bucket> both;
  auto known = buckets_.begin();
  for (std::size_t i = Sketch::bucket_of(minimum); i < end; ++i) {
    const std::uint32_t count = sketch.count_of(i);
    if (count == 0) continue;
    while (known != buckets_.end() && known->number < i) both.push_back(*known++);
    Bucket bucket{.number = i, .count = count};
    if (known != buckets_.end() && known->number == i) bucket.count += known++->count;
    both.push_back(bucket);
  }
  both.insert(both.end(), known, buckets_.end());
  both.shrink_to_fit();
  buckets_ = std::move(both);
}

double Distribution::quantile(double q) const noexcept {
  double all = 0;
  for (const Bucket& bucket : buckets_) all += static_cast<double>(bucket.count);
  const double rank = std::max(1.0, std::ceil(q * all));
  double below = 0;
  for (const Bucket& bucket : buckets_) {
    below += static_cast<double>(bucket.count);
    if (below >= rank) return Sketch::middle_of(bucket.number);
  }
  return 0;
}

}  // namespace tacho::caliper

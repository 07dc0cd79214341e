#include "caliper/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>

namespace tacho::caliper {

void Distribution::add(const Sketch& sketch, std::uint64_t minimum, std::uint64_t maximum) {
  const std::size_t end = Sketch::bucket_of(maximum) + 1;
  Distribution more;
  for (std::size_t i = Sketch::bucket_of(minimum); i < end; ++i)
    if (const std::uint32_t count = sketch.count_of(i); count > 0)
      more.buckets_.push_back({.number = i, .count = count});
  add(more);
}

void Distribution::add(std::span<const std::uint64_t> values) {
  std::map<std::size_t, std::uint64_t> counts;
  for (const std::uint64_t value : values) ++counts[Sketch::bucket_of(value)];
  Distribution more;
  for (const auto& [number, count] : counts)
    more.buckets_.push_back({.number = number, .count = count});
  add(more);
}

void Distribution::add(const Distribution& more) {
  std::vector<Bucket> both;
  auto known = buckets_.begin();
  for (Bucket bucket : more.buckets_) {
    while (known != buckets_.end() && known->number < bucket.number) both.push_back(*known++);
    if (known != buckets_.end() && known->number == bucket.number) bucket.count += known++->count;
    both.push_back(bucket);
  }
  both.insert(both.end(), known, buckets_.end());
  both.shrink_to_fit();
  buckets_ = std::move(both);
}

std::string Distribution::text() const {
  std::string text;
  std::size_t before = 0;
  for (const Bucket& bucket : buckets_) {
    fmt::format_to(std::back_inserter(text), "{}{} {}", text.empty() ? "" : " ",
                   bucket.number - before, bucket.count);
    before = bucket.number;
  }
  return text;
}

std::optional<Distribution> Distribution::parse(std::string_view text) {
  Distribution read;
  std::size_t number = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto next = [&](auto& value) {
    if (at != text.data() && (at == end || *at++ != ' ')) return false;
    const auto parsed = std::from_chars(at, end, value);
    at = parsed.ptr;
    return parsed.ec == std::errc();
  };
  while (at != end) {
    std::size_t distance = 0;
    Bucket bucket;
    if (!next(distance) || !next(bucket.count) || bucket.count == 0 ||
        distance >= Sketch::kBuckets - number || (distance == 0 && !read.buckets_.empty()))
      return std::nullopt;
    bucket.number = number += distance;
    read.buckets_.push_back(bucket);
  }
  return read;
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

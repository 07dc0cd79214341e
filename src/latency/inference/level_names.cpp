// Names of tiers, and what is advertised beside what was found.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/number.hpp"
#include "latency/inference/tiers.hpp"
#include "latency/inference/tlb.hpp"

namespace tacho {
namespace {

constexpr double kAgrees = 1.25;  // a ratio
// Where no caches are advertised, what only larger lists show is taken for memory.
constexpr double kBehindCaches = 64 << 20;

std::string in_bytes(double value) {
  return bytes(static_cast<std::uint64_t>(value), NumberStyle{});
}

// Bytes of the largest list that is taken for this cache's hits.
double holds_at_most(const AdvertisedCache& cache) {
  return kAgrees * static_cast<double>(cache.bytes);
}

std::string level_name(const AdvertisedCache& cache) {
  return fmt::format("L{}", cache.level);
}

}  // namespace

void name_tiers(std::vector<Tier>& tiers, const Advertised& advertised, double smallest,
                double largest, std::vector<std::string>& warnings) {
  std::vector<AdvertisedCache> caches = advertised.caches;
  std::ranges::sort(caches, {}, &AdvertisedCache::level);
  // Levels that no measured size fits into can't be seen.
  const auto fits = [&](const AdvertisedCache& c) {
    return static_cast<double>(c.bytes) >= smallest;
  };
  auto cache = std::ranges::find_if(caches, fits);
  const auto shows_none = [&] {
    warnings.push_back(fmt::format("{} ({} advertised) shows no tier of its own",
                                   level_name(*cache),
                                   in_bytes(static_cast<double>(cache->bytes))));
  };

  for (std::size_t k = 0; k < tiers.size(); ++k) {
    Tier& tier = tiers[k];
    const bool last = k + 1 == tiers.size();
    // What begins with lists that a cache can't hold is none of its hits.
    for (; cache != caches.end() && tier.least_bytes > holds_at_most(*cache); ++cache) shows_none();
    const bool went_past =
        cache == caches.end() || largest >= 2 * static_cast<double>(cache->bytes);
    const std::string taken_off = tier.condition.empty() ? "" : ", " + tier.condition;
    if (last && caches.empty() && largest < kBehindCaches) {
      tier.name = fmt::format("L{} or memory", k + 1);
      tier.condition = tier.name + taken_off;
      warnings.push_back(fmt::format(
          "the slowest tier may be L{} or memory: sysfs advertises no caches, and no size was {}",
          k + 1, in_bytes(kBehindCaches)));
    } else if (last && went_past &&
               (cache == caches.end() || tier.most_bytes > holds_at_most(*cache))) {
      tier.name = "memory";
      tier.condition = "memory" + taken_off;
    } else if (cache != caches.end()) {
      tier.name = level_name(*cache);
      tier.condition = fmt::format("hit in {}{}", tier.name, taken_off);
      tier.advertised_bytes = cache->bytes;
      if (cache->ways != 0) tier.advertised_ways = cache->ways;
      if (last && k > 0 && !went_past) {
        tier.name += " or memory";
        tier.condition = tier.name + taken_off;
        warnings.push_back(fmt::format(
            "the slowest tier may be {} ({} advertised) or memory: no size went well past it",
            level_name(*cache), in_bytes(static_cast<double>(cache->bytes))));
      }
      ++cache;
    } else if (caches.empty()) {
      tier.name = fmt::format("L{}", k + 1);
      tier.condition = fmt::format("hit in {}{}", tier.name, taken_off);
    } else {
      tier.name = "memory";
      tier.condition = "memory, no advertised cache: perhaps within the reach of the TLB";
    }
    if (!tier.advertised_bytes || !tier.capacity) continue;
    const double found = tier.capacity_bytes;
    const auto said = static_cast<double>(*tier.advertised_bytes);
    if (std::max(found / said, said / found) <= kAgrees) continue;
    const bool differs =
        tier.capacity->low > said * kAgrees || tier.capacity->high * kAgrees < said;
    warnings.push_back(
        differs
            ? fmt::format("{} behaves like {}, not like the {} that are advertised", tier.name,
                          in_bytes(found), in_bytes(said))
            : fmt::format("{} ends anywhere from {} to {}, {} are advertised: the sizes between "
                          "were disturbed, or not asked for",
                          tier.name, in_bytes(tier.capacity->low), in_bytes(tier.capacity->high),
                          in_bytes(said)));
  }
  for (; cache != caches.end() && static_cast<double>(cache->bytes) < largest; ++cache)
    shows_none();
}

void name_tlb(std::vector<TlbTier>& tlb, std::span<const AdvertisedTlb> advertised,
              std::span<const SizeLatency> sizes, std::vector<std::string>& warnings) {
  const auto measured_past = [&](const AdvertisedTlb& told) {
    return std::ranges::any_of(sizes, [&](const SizeLatency& size) {
      return size.layout != Layout::packed && size.page_bytes == told.page_bytes &&
             size.lines >= 2 * told.entries;
    });
  };
  auto next = advertised.begin();
  const auto shows_none_until = [&](auto level) {
    for (; next != level; ++next)
      if (measured_past(*next))
        warnings.push_back(fmt::format("L{} TLB ({} entries advertised) shows no end of its own",
                                       next->level, next->entries));
  };
  for (std::size_t k = 0; k < tlb.size() && next != advertised.end(); ++k) {
    TlbTier& tier = tlb[k];
    if (tier.page_bytes != next->page_bytes) continue;
    // Of two levels of which one only shows, that which is nearer in size.
    const auto after = std::min<std::ptrdiff_t>(
        std::ssize(tlb) - static_cast<std::ptrdiff_t>(k) - 1, advertised.end() - next - 1);
    const auto level = std::min_element(
        next, advertised.end() - after, [&](const AdvertisedTlb& one, const AdvertisedTlb& other) {
          const auto apart = [&](const AdvertisedTlb& told) {
            return std::fabs(std::log(tier.entries / static_cast<double>(told.entries)));
          };
          return apart(one) < apart(other);
        });
    shows_none_until(level);
    next = level + 1;
    tier.name = fmt::format("L{} TLB", level->level);
    tier.advertised_entries = level->entries;
    const auto said = static_cast<double>(level->entries);
    if (tier.entries_interval.low > said * kAgrees || tier.entries_interval.high * kAgrees < said)
      warnings.push_back(
          fmt::format("{} behaves like {:.0f} entries, not like the {} that are advertised",
                      tier.name, tier.entries, level->entries));
  }
  shows_none_until(advertised.end());
}

}  // namespace tacho

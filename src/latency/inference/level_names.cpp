#include "latency/inference/level_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/number.hpp"
#include "latency/inference/rules.hpp"

namespace tacho {
namespace {

constexpr const NameRules& kNames = kLatencyRules.name;

std::string in_bytes(double value) {
  return bytes(static_cast<std::uint64_t>(value), NumberStyle{});
}

// Bytes of the largest list that hits this cache.
double holds_at_most(const AdvertisedCache& cache) {
  return kNames.agrees * static_cast<double>(cache.bytes);
}

std::string level_name(const AdvertisedCache& cache) {
  return fmt::format("L{}", cache.level);
}

std::string advertised_text(const AdvertisedCache& cache) {
  return fmt::format("{} ({} advertised)", level_name(cache),
                     in_bytes(static_cast<double>(cache.bytes)));
}

// Gives the advertised caches to the tiers, from the first level up.
class TierNames {
 public:
  TierNames(const Advertised& advertised, double smallest, double largest,
            std::vector<std::string>& warnings)
      : caches_(advertised.caches), largest_(largest), warnings_(warnings) {
    std::ranges::sort(caches_, {}, &AdvertisedCache::level);
    // No list shows a level that is smaller than all lists.
    next_ = std::ranges::find_if(caches_, [&](const AdvertisedCache& cache) {
      return static_cast<double>(cache.bytes) >= smallest;
    });
  }

  void name(Tier& tier, std::size_t index, bool last);
  // The caches that no tier has got.
  void warn_of_rest() {
    for (; next_ != caches_.end() && static_cast<double>(next_->bytes) < largest_; ++next_)
      warn_of_missing(*next_);
  }

 private:
  void warn_of_missing(const AdvertisedCache& cache) {
    warnings_.push_back(fmt::format("{} shows no level of its own", advertised_text(cache)));
  }
  bool is_memory(const Tier& tier) const {
    return next_ == caches_.end() ||
           (measured_past_next() && tier.most_bytes > holds_at_most(*next_));
  }
  bool measured_past_next() const { return largest_ >= 2 * static_cast<double>(next_->bytes); }
  void name_without_caches(Tier& tier, std::size_t index, bool last);
  void name_after_cache(Tier& tier, std::size_t index, bool last);

  std::vector<AdvertisedCache> caches_;
  std::vector<AdvertisedCache>::iterator next_;
  double largest_;
  std::vector<std::string>& warnings_;
};

void TierNames::name_without_caches(Tier& tier, std::size_t index, bool last) {
  tier.name = fmt::format("L{}", index + 1);
  tier.kind = TierKind::cache;
  if (!last) return;
  tier.kind = TierKind::memory;
  if (largest_ < kNames.beyond_caches_bytes) {
    warnings_.push_back(fmt::format(
        "the slowest level may be {} or memory: sysfs advertises no caches, and no list has {}",
        tier.name, in_bytes(kNames.beyond_caches_bytes)));
    tier.kind = TierKind::cache_or_memory;
  }
  tier.name = tier.kind == TierKind::memory ? "memory" : tier.name + " or memory";
}

void TierNames::name_after_cache(Tier& tier, std::size_t index, bool last) {
  const AdvertisedCache& cache = *next_;
  tier.name = level_name(cache);
  tier.kind = TierKind::cache;
  tier.advertised_bytes = cache.bytes;
  if (cache.ways != 0) tier.advertised_ways = cache.ways;
  if (last && index > 0 && !measured_past_next()) {
    tier.name += " or memory";
    tier.kind = TierKind::cache_or_memory;
    warnings_.push_back(
        fmt::format("the slowest level may be {} or memory: no list is much larger than the cache",
                    advertised_text(cache)));
  }
  ++next_;
}

void TierNames::name(Tier& tier, std::size_t index, bool last) {
  if (caches_.empty()) return name_without_caches(tier, index, last);
  // A tier that begins with lists too large for a cache has no hits of this cache.
  for (; next_ != caches_.end() && tier.least_bytes > holds_at_most(*next_); ++next_)
    warn_of_missing(*next_);
  if (last ? !is_memory(tier) : next_ != caches_.end()) return name_after_cache(tier, index, last);
  tier.name = "memory";
  tier.kind = last ? TierKind::memory : TierKind::unexplained;
}

void compare_capacity(const Tier& tier, std::vector<std::string>& warnings) {
  if (!tier.advertised_bytes || !tier.capacity) return;
  const double found = tier.capacity_bytes;
  const auto advertised = static_cast<double>(*tier.advertised_bytes);
  if (std::max(found / advertised, advertised / found) <= kNames.agrees) return;
  const bool differs = tier.capacity->low > advertised * kNames.agrees ||
                       tier.capacity->high * kNames.agrees < advertised;
  if (differs)
    warnings.push_back(fmt::format("{} behaves like {}, not like the advertised {}", tier.name,
                                   in_bytes(found), in_bytes(advertised)));
  else
    warnings.push_back(fmt::format(
        "{} ends anywhere from {} to {}, and {} are advertised: the lists between these sizes were "
        "disturbed, or not measured",
        tier.name, in_bytes(tier.capacity->low), in_bytes(tier.capacity->high),
        in_bytes(advertised)));
}

}  // namespace

void name_tiers(std::vector<Tier>& tiers, const Advertised& advertised, double smallest,
                double largest, std::vector<std::string>& warnings) {
  TierNames names(advertised, smallest, largest, warnings);
  for (std::size_t k = 0; k < tiers.size(); ++k) {
    names.name(tiers[k], k, k + 1 == tiers.size());
    compare_capacity(tiers[k], warnings);
  }
  names.warn_of_rest();
}

void name_tlb(std::vector<TlbTier>& tlb, std::span<const AdvertisedTlb> advertised,
              std::span<const SizeLatency> sizes, std::vector<std::string>& warnings) {
  const auto measured_past = [&](const AdvertisedTlb& level) {
    return std::ranges::any_of(sizes, [&](const SizeLatency& size) {
      return size.layout != Layout::packed && size.page_bytes == level.page_bytes &&
             size.lines >= 2 * level.entries;
    });
  };
  auto next = advertised.begin();
  const auto warn_of_missing_until = [&](auto level) {
    for (; next != level; ++next)
      if (measured_past(*next))
        warnings.push_back(fmt::format("L{} TLB ({} entries advertised) shows no end of its own",
                                       next->level, next->entries));
  };
  for (std::size_t k = 0; k < tlb.size() && next != advertised.end(); ++k) {
    TlbTier& tier = tlb[k];
    if (tier.page_bytes != next->page_bytes) continue;
    // If only one of two advertised levels shows, it is the one nearer in size.
    const auto after = std::min<std::ptrdiff_t>(
        std::ssize(tlb) - static_cast<std::ptrdiff_t>(k) - 1, advertised.end() - next - 1);
    const auto apart = [&](const AdvertisedTlb& level) {
      return std::fabs(std::log(tier.entries / static_cast<double>(level.entries)));
    };
    const auto level = std::ranges::min_element(next, advertised.end() - after, {}, apart);
    warn_of_missing_until(level);
    next = level + 1;
    tier.name = fmt::format("L{} TLB", level->level);
    tier.advertised_entries = level->entries;
    const auto entries = static_cast<double>(level->entries);
    if (tier.entries_interval.low > entries * kNames.agrees ||
        tier.entries_interval.high * kNames.agrees < entries)
      warnings.push_back(fmt::format("{} behaves like {:.0f} entries, not like the advertised {}",
                                     tier.name, tier.entries, level->entries));
  }
  warn_of_missing_until(advertised.end());
}

}  // namespace tacho

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What caches do seldom: being made, and replacing in other ways than LRU of up to 16. */
#include "cache.h"

void cache_init(struct cache* c, uint64_t sets, uint64_t ways, enum replacement replacement,
                allocate_fn allocate) {
  uint64_t i;
  c->sets = sets;
  c->ways = (uint32_t)ways;
  c->padded = (c->ways + 3) & ~3u;
  c->replacement = replacement;
  c->set_bits = (uint32_t)__builtin_ctzll(sets);
  c->reciprocal = (sets & (sets - 1)) ? ~0ull / sets + 1 : 0;
  c->clock = 0x9e3779b97f4a7c15ull; /* any but 0 */
  c->tags = allocate("tags", sets * c->padded * sizeof *c->tags);
  for (i = 0; i < sets * c->padded; ++i) c->tags[i] = NO_TAG;
  c->order = allocate("order", sets * sizeof *c->order);
  for (i = 0; i < sets; ++i) c->order[i] = replacement == REPLACE_LRU ? 0xfedcba9876543210ull : 0;
  c->stamps = 0;
  if (replacement == REPLACE_LRU && ways > MOST_NIBBLES) {
    c->stamps = allocate("stamps", sets * ways * sizeof *c->stamps);
    for (i = 0; i < sets * ways; ++i) c->stamps[i] = 0;
  }
}

/* The way to replace, marked as used: of many ways under LRU, or by turn, or any. Random takes an
 * empty way first. */
uint64_t cache_victim_slow(struct cache* c, uint64_t set) {
  uint64_t way = 0, i;
  const uint32_t* const tags = c->tags + set * c->padded;
  if (c->replacement == REPLACE_LRU) {
    uint64_t* const stamps = c->stamps + set * c->ways;
    for (i = 1; i < c->ways; ++i)
      if (stamps[i] < stamps[way]) way = i;
    stamps[way] = ++c->clock;
    return way;
  }
  if (c->replacement == REPLACE_ROUND_ROBIN) {
    way = c->order[set];
    c->order[set] = way + 1 == c->ways ? 0 : way + 1;
    return way;
  }
  for (i = 0; i < c->ways; ++i)
    if (tags[i] == NO_TAG) return i;
  /* xorshift64: G. Marsaglia, Journal of Statistical Software 8(14), 2003. */
  c->clock ^= c->clock << 13;
  c->clock ^= c->clock >> 7;
  c->clock ^= c->clock << 17;
  return c->clock % c->ways;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What caches do seldom: being made, and replacing in other ways than LRU of up to 16. */
#include "cache.h"

static void make_stamps(struct cache* c, allocate_fn allocate) {
  uint64_t i;
  c->stamps = allocate("stamps", c->sets * c->ways * sizeof *c->stamps);
  for (i = 0; i < c->sets * c->ways; ++i) c->stamps[i] = 0;
}

void cache_init(struct cache* c, uint64_t sets, uint64_t ways, enum replacement replacement,
                allocate_fn allocate) {
  uint64_t i;
  c->sets = sets;
  c->ways = (uint32_t)ways;
  c->padded = (c->ways + 3) & ~3u;
  c->replacement = replacement;
  c->set_bits = (uint32_t)__builtin_ctzll(sets);
  c->reciprocal = (sets & (sets - 1)) ? ~0ull / sets + 1 : 0;
  c->nibbles = replacement == REPLACE_LRU && ways <= MOST_NIBBLES;
  c->oldest = 4 * (c->ways - 1);
  c->clock = 0x9e3779b97f4a7c15ull; /* any but 0 */
  c->tags = allocate("tags", sets * c->padded * sizeof *c->tags);
  for (i = 0; i < sets * c->padded; ++i) c->tags[i] = NO_TAG;
  c->order = allocate("order", sets * sizeof *c->order);
  for (i = 0; i < sets; ++i) c->order[i] = replacement == REPLACE_LRU ? 0xfedcba9876543210ull : 0;
  c->stamps = 0;
  if (replacement == REPLACE_LRU && ways > MOST_NIBBLES) make_stamps(c, allocate);
}

/* The way to replace. Random takes an empty one first. */
uint64_t cache_victim(struct cache* c, uint64_t set) {
  uint64_t way, i;
  const uint32_t* const tags = c->tags + set * c->padded;
  if (c->nibbles) return (c->order[set] >> c->oldest) & 15;
  if (c->replacement == REPLACE_LRU) return oldest(c, set);
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

static void used(struct cache* c, uint64_t set, uint64_t way) {
  if (c->nibbles)
    c->order[set] = order_used(c->order[set], way);
  else if (c->stamps)
    c->stamps[set * c->ways + way] = ++c->clock;
}

int cache_access_any(struct cache* c, uint64_t set, uint32_t tag, int allocate, uint32_t* evicted) {
  uint32_t* const tags = c->tags + set * c->padded;
  const int found = cache_find(tags, c->padded, tag);
  uint64_t way = (uint64_t)found;
  *evicted = NO_TAG;
  if (found < 0) {
    if (!allocate) return 0;
    way = cache_victim(c, set);
    *evicted = tags[way];
    tags[way] = tag;
  }
  used(c, set, way);
  return found >= 0;
}

void front_init(struct front* f, uint64_t sets, uint64_t ways, enum replacement replacement,
                allocate_fn allocate) {
  uint64_t i;
  cache_init(&f->cache, sets, ways, replacement, allocate);
  f->cache.nibbles = 0;
  if (!f->cache.stamps) make_stamps(&f->cache, allocate);
  f->known = allocate("known", KNOWN * sizeof *f->known);
  for (i = 0; i < KNOWN; ++i) f->known[i].number = NO_NUMBER;
  f->changes = 1;
}

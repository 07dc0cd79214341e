/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches of any kind. The frequent path of plain caches is inline, in cache.h. */
#include "cache.h"

void cache_init(struct cache* c, uint64_t sets, uint64_t ways, enum replacement replacement,
                allocate_fn allocate) {
  uint64_t i, way;
  c->groups = (uint32_t)((ways + 7) / 8);
  c->ways = (uint32_t)ways;
  c->sets = sets;
  c->set_bits = (uint32_t)__builtin_ctzll(sets);
  c->set_mask = sets - 1;
  c->reciprocal = (sets & (sets - 1)) ? ~0ull / sets + 1 : 0;
  c->replacement = replacement;
  c->plain = replacement == REPLACE_LRU && ways <= 8 && c->reciprocal == 0;
  c->random_state = 0x9e3779b97f4a7c15ull; /* any value but 0 */
  c->next = allocate("next", sets * sizeof *c->next);
  c->ways8 = allocate("ways", (sets * c->groups + 1) * sizeof *c->ways8);
  c->ways8 = (struct ways8*)(((uintptr_t)c->ways8 + 63) &
                             ~(uintptr_t)63); /* each in one cache line of the host */
  for (i = 0; i < sets; ++i) {
    c->next[i] = 0;
    for (way = 0; way < 8 * c->groups; ++way) {
      *cache_tag(c, i, (unsigned)way) = NO_TAG;
      *cache_stamp(c, i, (unsigned)way) = way < ways ? 0 : PADDING_TIME;
    }
  }
}

/* Splits a line's number into its set, which is returned, and its tag. */
static uint64_t split(const struct cache* c, uint64_t number, uint32_t* tag) {
  if (c->reciprocal == 0) {
    *tag = (uint32_t)(number >> c->set_bits);
    return number & c->set_mask;
  }
  /* n / d as n * ceil(2^64 / d) / 2^64: exact while n * d < 2^64. */
  const uint64_t quotient = (uint64_t)(((unsigned __int128)number * c->reciprocal) >> 64);
  *tag = (uint32_t)quotient;
  return number - quotient * c->sets;
}

int cache_find(const struct cache* c, uint64_t set, uint32_t tag) {
  const struct ways8* const w = &c->ways8[set * c->groups];
  unsigned i;
  /* Two groups at a time: the host could not predict a branch on which of the two matches. */
  for (i = 0; i < c->groups; i += 2) {
    unsigned mask = ways_match(&w[i], tag);
    if (i + 1 < c->groups) mask |= ways_match(&w[i + 1], tag) << 16;
    if (mask) return (int)(8 * i + ways_first(mask));
  }
  return -1;
}

static unsigned oldest(const struct cache* c, uint64_t set) {
  const struct ways8* const w = &c->ways8[set * c->groups];
  unsigned way = ways_oldest(w), i;
  uint32_t time = w->stamps[way];
  for (i = 1; i < c->groups; ++i) {
    const unsigned other = ways_oldest(&w[i]);
    const uint32_t its = w[i].stamps[other];
    way = its < time ? 8 * i + other : way;
    time = its < time ? its : time;
  }
  return way;
}

/* Random replacement fills empty ways first. */
unsigned cache_victim(struct cache* c, uint64_t set) {
  unsigned way;
  int empty;
  if (c->replacement == REPLACE_LRU) return oldest(c, set);
  if (c->replacement == REPLACE_ROUND_ROBIN) {
    way = c->next[set];
    c->next[set] = way + 1 == c->ways ? 0 : way + 1;
    return way;
  }
  empty = cache_find(c, set, NO_TAG);
  if (empty >= 0 && (unsigned)empty < c->ways) return (unsigned)empty;
  /* xorshift64: G. Marsaglia, Journal of Statistical Software 8(14), 2003. */
  c->random_state ^= c->random_state << 13;
  c->random_state ^= c->random_state >> 7;
  c->random_state ^= c->random_state << 17;
  return (unsigned)(c->random_state % c->ways);
}

int cache_access(struct cache* c, uint64_t number, uint32_t now, int allocate, uint32_t* evicted) {
  uint32_t tag;
  const uint64_t set = split(c, number, &tag);
  const int found = cache_find(c, set, tag);
  unsigned way = (unsigned)found;
  if (found < 0) {
    if (!allocate) return 0;
    way = cache_victim(c, set);
    *evicted = *cache_tag(c, set, way);
    *cache_tag(c, set, way) = tag;
  }
  *cache_stamp(c, set, way) = now;
  return found >= 0;
}

/* Goes from the earliest time to the latest. Each new time is no later than the old one, so it
 * stays before all times that are still to be renumbered. */
static void renew_set(struct cache* c, uint64_t set) {
  uint32_t time = FIRST_TIME;
  for (;; ++time) {
    uint32_t* earliest = 0;
    unsigned way;
    for (way = 0; way < c->ways; ++way) {
      uint32_t* const stamp = cache_stamp(c, set, way);
      if (*stamp >= time && (!earliest || *stamp < *earliest)) earliest = stamp;
    }
    if (!earliest) return;
    *earliest = time;
  }
}

void cache_renew(struct cache* c) {
  uint64_t set;
  for (set = 0; set < c->sets; ++set) renew_set(c, set);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set-associative array of tags with its replacement: what caches and TLBs are made of. It knows
 * lines (or pages) by number and nothing of their contents. */
#ifndef TACHO_CACHE_H
#define TACHO_CACHE_H

#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "model.h"

typedef void* (*allocate_fn)(const char* what, size_t bytes);

#define NO_TAG 0xffffffffu
#define MOST_NIBBLES 16

/* Tags have 32 bits: what they leave out of a line's number would be address bits above 2^32 times
 * the bytes of a way (4 TiB for a way of 1 KiB), where a process under Valgrind has nothing. */
struct cache {
  uint32_t* tags;     /* padded ways of each set */
  uint64_t* order;    /* of a set: its ways from the most recent, a nibble each; or its next victim */
  uint64_t* stamps;   /* LRU of more than 16 ways, and front's: when each was used */
  uint64_t clock;     /* the last stamp; the state of random */
  uint64_t sets;
  uint64_t reciprocal; /* of a number of sets that is no power of two */
  uint32_t ways, padded;
  uint32_t set_bits;
  uint32_t nibbles; /* LRU of up to 16 ways */
  uint32_t oldest;  /* the bit at which their order has the oldest */
  enum replacement replacement;
};

void cache_init(struct cache* cache, uint64_t sets, uint64_t ways, enum replacement replacement,
                allocate_fn allocate);

/* The set and the tag of a line's number. */
static inline uint64_t cache_split(const struct cache* c, uint64_t number, uint32_t* tag) {
  if (c->reciprocal == 0) {
    *tag = (uint32_t)(number >> c->set_bits);
    return number & (c->sets - 1);
  }
  /* n / d as n * ceil(2^64 / d) / 2^64: exact while n * d < 2^64. */
  const uint64_t quotient = (uint64_t)(((unsigned __int128)number * c->reciprocal) >> 64);
  *tag = (uint32_t)quotient;
  return number - quotient * c->sets;
}

/* The ways of a set that hold the tag (at most one), as bits; up to 16 ways. All are compared: a loop
 * that stopped at the right one would be mispredicted too often. */
static inline unsigned cache_match(const uint32_t* tags, uint32_t padded, uint32_t tag) {
  unsigned mask = 0;
#if defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi32((int)tag);
#define MATCH(from)                                                                             \
  ((unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(                                  \
       _mm_load_si128((const __m128i*)(tags + (from))), wanted))) << (from))
  mask = MATCH(0);
  if (padded > 4) mask |= MATCH(4);
  if (padded > 8) mask |= MATCH(8);
  if (padded > 12) mask |= MATCH(12);
#undef MATCH
#else
  uint32_t i;
  for (i = 0; i < padded; ++i) mask |= (unsigned)(tags[i] == tag) << i;
#endif
  return mask;
}

/* The same for any number of ways, or -1. */
static inline int cache_find(const uint32_t* tags, uint32_t padded, uint32_t tag) {
  uint32_t i;
  for (i = 0; i < padded; i += 16) {
    const unsigned mask = cache_match(tags + i, padded - i < 16 ? padded - i : 16, tag);
    if (mask) return (int)i + __builtin_ctz(mask);
  }
  return -1;
}

/* Moves a way to the front of an order of nibbles. */
static inline uint64_t order_used(uint64_t order, uint64_t way) {
  const uint64_t ones = 0x1111111111111111ull;
  const uint64_t differs = order ^ (ones * way);
  const uint64_t zero = (differs - ones) & ~differs & (ones << 3);
  const unsigned at = (unsigned)__builtin_ctzll(zero) - 3; /* the lowest one is exact */
  const uint64_t younger = order & ((1ull << at) - 1);
  const uint64_t older = order & ~(((uint64_t)16 << at) - 1);
  return older | (younger << 4) | way;
}

int cache_access_any(struct cache* c, uint64_t set, uint32_t tag, int allocate, uint32_t* evicted);

/* Looks a line up and makes it the most recent; brings it in when it is not there and `allocate`.
 * Returns whether it was there. `evicted` receives the tag that had to go, or NO_TAG. The common
 * case has no branch: the way is the one that was found, or else the oldest. */
static inline int cache_access(struct cache* c, uint64_t set, uint32_t tag, int allocate,
                               uint32_t* evicted) {
  uint32_t* const tags = c->tags + set * c->padded;
  const uint64_t order = c->order[set];
  unsigned mask, way;
  if (__builtin_expect(!c->nibbles || !allocate, 0))
    return cache_access_any(c, set, tag, allocate, evicted);
  mask = cache_match(tags, c->padded, tag);
  way = (unsigned)(order >> c->oldest) & 15;
  if (mask) way = (unsigned)__builtin_ctz(mask);
  *evicted = tags[way];
  tags[way] = tag;
  c->order[set] = order_used(order, way);
  return mask != 0;
}

/* A first-level cache or TLB. Nearly all accesses find in it what they want, so what is present is
 * also listed in a table, by the low bits of its number: finding it there is one comparison, and to
 * note the use is one store. Two that share a place in the table oust each other from it, not from
 * the cache. */
struct known {
  uint64_t number; /* of a line or page that is present, or NO_NUMBER */
  uint64_t* stamp; /* where the time of its last use stands */
};

#define KNOWN 1024 /* places of the table */
#define NO_NUMBER (~0ull) /* no line and no page has it */

struct front {
  struct cache cache; /* LRU by stamps, whatever its ways */
  struct known* known;
  uint64_t changes; /* grows when something is brought in */
};

void front_init(struct front* front, uint64_t sets, uint64_t ways, enum replacement replacement,
                allocate_fn allocate);

static inline struct known* front_place(const struct front* f, uint64_t number) {
  return &f->known[number & (KNOWN - 1)];
}

/* The way of a set that was used longest ago. */
static inline uint64_t oldest(const struct cache* c, uint64_t set) {
  const uint64_t* const s = c->stamps + set * c->ways;
  uint64_t way = 0, least = s[0], i;
  if (c->ways == 8) { /* pairs that don't wait for each other, without branches */
    const uint64_t a = 0 + (uint64_t)(s[1] < s[0]), b = 2 + (uint64_t)(s[3] < s[2]);
    const uint64_t d = 4 + (uint64_t)(s[5] < s[4]), e = 6 + (uint64_t)(s[7] < s[6]);
    const uint64_t ab = a ^ ((a ^ b) & -(uint64_t)(s[b] < s[a]));
    const uint64_t de = d ^ ((d ^ e) & -(uint64_t)(s[e] < s[d]));
    return ab ^ ((ab ^ de) & -(uint64_t)(s[de] < s[ab]));
  }
  for (i = 1; i < c->ways; ++i) {
    way = s[i] < least ? i : way;
    least = s[i] < least ? s[i] : least;
  }
  return way;
}

uint64_t cache_victim(struct cache* c, uint64_t set);

/* Looks up what the table may not list, at the time `now`, which grows with each access. Brings it in
 * when it is not there and `allocate`. Whether it was there. */
static inline int front_access(struct front* f, uint64_t number, uint64_t now, int allocate) {
  struct cache* const c = &f->cache;
  const uint64_t set = number & (c->sets - 1);
  const uint32_t tag = (uint32_t)(number >> c->set_bits);
  uint32_t* const tags = c->tags + set * c->padded;
  const int found = cache_find(tags, c->padded, tag);
  uint64_t way = (uint64_t)found;
  struct known* place;
  if (found < 0) {
    uint64_t gone;
    if (!allocate) return 0;
    way = c->replacement == REPLACE_LRU ? oldest(c, set) : cache_victim(c, set);
    gone = (uint64_t)tags[way] << c->set_bits | set; /* nothing has an empty way's number */
    place = front_place(f, gone);
    place->number = place->number == gone ? NO_NUMBER : place->number; /* without a branch */
    tags[way] = tag;
    ++f->changes;
  }
  place = front_place(f, number);
  place->number = number;
  place->stamp = &c->stamps[set * c->ways + way];
  *place->stamp = now;
  return found >= 0;
}

#endif

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
  uint64_t* order;    /* a set's LRU order, a nibble a way from the most recent; or its next victim */
  uint64_t* stamps;   /* LRU of more than 16 ways: when each was used */
  uint64_t clock;     /* of stamps; the state of random */
  uint64_t sets;
  uint64_t reciprocal; /* of a number of sets that is no power of two */
  uint32_t ways, padded;
  uint32_t set_bits;
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

/* The way of a set that holds the tag, or -1. */
static inline int cache_find(const uint32_t* tags, uint32_t padded, uint32_t tag) {
  uint32_t i;
#if defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi32((int)tag);
  for (i = 0; i < padded; i += 4) {
    const __m128i four = _mm_load_si128((const __m128i*)(tags + i));
    const int mask = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(four, wanted)));
    if (mask) return (int)i + __builtin_ctz((unsigned)mask);
  }
#else
  for (i = 0; i < padded; ++i)
    if (tags[i] == tag) return (int)i;
#endif
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

/* Moves the last of `ways` nibbles to the front. */
static inline uint64_t order_evict(uint64_t order, uint32_t ways, uint64_t* victim) {
  const unsigned last = 4 * (ways - 1);
  const uint64_t mask = ways == MOST_NIBBLES ? ~0ull : (1ull << (4 * ways)) - 1;
  *victim = (order >> last) & 15;
  return (order & ~mask) | (((order << 4) | *victim) & mask);
}

uint64_t cache_victim_slow(struct cache* c, uint64_t set);

/* Looks a line up and makes it the most recent; brings it in when it is not there and `allocate`.
 * Returns whether it was there. `evicted`, if given, receives the tag that had to go, or NO_TAG. */
static inline int cache_access(struct cache* c, uint64_t set, uint32_t tag, int allocate,
                               uint32_t* evicted) {
  uint32_t* const tags = c->tags + set * c->padded;
  const int way = cache_find(tags, c->padded, tag);
  uint64_t victim;
  if (way >= 0) {
    if (c->replacement == REPLACE_LRU) {
      if (c->stamps)
        c->stamps[set * c->ways + (uint64_t)way] = ++c->clock;
      else
        c->order[set] = order_used(c->order[set], (uint64_t)way);
    }
    return 1;
  }
  if (!allocate) return 0;
  if (c->replacement == REPLACE_LRU && !c->stamps)
    c->order[set] = order_evict(c->order[set], c->ways, &victim);
  else
    victim = cache_victim_slow(c, set);
  if (evicted) *evicted = tags[victim];
  tags[victim] = tag;
  return 0;
}

#endif

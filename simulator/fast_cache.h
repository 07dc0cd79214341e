/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cache or TLB with a direct-mapped table in front, for those that nearly all accesses hit: the
 * first-level caches and the TLBs. The table lists lines (or pages) that are present, by the low
 * bits of their number. A hit in the table costs the simulator one comparison and one store. Two
 * lines with the same place in the table displace each other from the table, but not from the
 * cache. */
#ifndef TACHO_FAST_CACHE_H
#define TACHO_FAST_CACHE_H

#include "cache.h"

#define FAST_CACHE_PLACE_BITS 11
#define FAST_CACHE_PLACES (1u << FAST_CACHE_PLACE_BITS) /* of the table */

struct fast_cache {
  /* For each place, the time stamp of the line that was listed there last. If another line has
   * replaced it in the cache, the tag beside the stamp differs: so replacement need not update the
   * table. */
  uint32_t* places[FAST_CACHE_PLACES];
  struct cache cache;
  uint32_t bits; /* number of low address bits within a line or page; the bits above are the tag */
  uint64_t changes; /* how often fast_cache_unlisted has brought in a line */
};

/* All addresses must be below this limit (128 GiB), so that tags of 32 bits distinguish even the
 * shortest lines. A program's addresses above it are replaced (address_map.h). */
#define ADDRESS_LIMIT ((uint64_t)SHORTEST_LINE << 32)

/* Lines or pages have 2^bits bytes; the number of sets is a power of two. */
void fast_cache_init(struct fast_cache* front, uint32_t bits, uint64_t sets, uint64_t ways,
                     enum replacement replacement, allocate_fn allocate);

/* The functions below take the fast cache's `bits` as an argument, so that the compiler can know
 * them as a constant. */

static inline uint32_t** fast_cache_place(struct fast_cache* f, uint32_t bits, uint64_t address) {
  return &f->places[address >> bits & (FAST_CACHE_PLACES - 1)];
}

/* Not 0 if the address has another tag than the way with this stamp. */
static inline uint32_t fast_cache_differs(const uint32_t* stamp, uint32_t bits, uint64_t address) {
  return *tag_of(stamp) ^ (uint32_t)(address >> bits);
}

/* Whether the line of an address is in the table. If so, it is used at the time `now`. */
static inline int fast_cache_listed(struct fast_cache* f, uint32_t bits, uint64_t address,
                                    uint32_t now) {
  uint32_t* const stamp = *fast_cache_place(f, bits, address);
  if (fast_cache_differs(stamp, bits, address)) return 0;
  *stamp = now;
  return 1;
}

/* Takes the line of an address out of the table: its next use has to call fast_cache_unlisted. */
void fast_cache_unlist(struct fast_cache* f, uint64_t address);

/* Lists a line that is present in a way, and notes its use. */
static inline void fast_cache_list(struct fast_cache* f, uint32_t bits, uint64_t address,
                                   struct ways8* w, unsigned way, uint32_t now) {
  *fast_cache_place(f, bits, address) = &w->stamps[way];
  w->stamps[way] = now;
}

/* cache_access for a line that is not in the table; lists it. */
int fast_cache_unlisted(struct fast_cache* f, uint64_t address, uint32_t now, int allocate,
                        uint32_t* evicted);

/* fast_cache_unlisted for a plain cache. Does not count `changes`, which only fetches need. */
static inline int fast_cache_unlisted_plain(struct fast_cache* f, uint32_t bits, uint64_t address,
                                            uint32_t now, int allocate) {
  struct ways8* const w = &f->cache.ways8[address >> bits & f->cache.set_mask];
  const uint32_t tag = (uint32_t)(address >> bits);
  const unsigned mask = ways_match(w, tag);
  unsigned way;
  if (!mask && !allocate) return 0;
  way = mask ? ways_first(mask) : ways_oldest(w);
  w->tags[way] = tag;
  fast_cache_list(f, bits, address, w, way, now);
  return mask != 0;
}

#endif

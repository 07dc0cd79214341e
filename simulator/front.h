/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cache or TLB with a direct-mapped table in front, for those that nearly all accesses hit: the
 * first-level caches and the TLBs. The table lists lines (or pages) that are present, by the low
 * bits of their number. A hit in the table costs the simulator one comparison and one store. Two
 * lines with the same place in the table displace each other from the table, but not from the
 * cache. */
#ifndef TACHO_FRONT_H
#define TACHO_FRONT_H

#include "cache.h"

#define FRONT_PLACE_BITS 11
#define FRONT_PLACES (1u << FRONT_PLACE_BITS) /* of the table */

struct front {
  /* For each place, the time stamp of the line that was listed there last. If another line has
   * replaced it in the cache, the tag beside the stamp differs: so replacement need not update the
   * table. */
  uint32_t* places[FRONT_PLACES];
  struct cache cache;
  uint32_t bits; /* number of low address bits within a line or page; the bits above are the tag */
  uint64_t changes; /* how often front_unlisted has brought in a line */
};

/* All addresses must be below this limit (128 GiB), so that tags of 32 bits distinguish even the
 * shortest lines. Valgrind gives a program no addresses above it. */
#define ADDRESS_LIMIT ((uint64_t)SHORTEST_LINE << 32)

/* Lines or pages have 2^bits bytes; the number of sets is a power of two. */
void front_init(struct front* front, uint32_t bits, uint64_t sets, uint64_t ways,
                enum replacement replacement, allocate_fn allocate);

/* The functions below take the front's `bits` as an argument, so that the compiler can know them as
 * a constant. */

static inline uint32_t** front_place(struct front* f, uint32_t bits, uint64_t address) {
  return &f->places[address >> bits & (FRONT_PLACES - 1)];
}

/* Not 0 if the address has another tag than the way with this stamp. */
static inline uint32_t front_differs(const uint32_t* stamp, uint32_t bits, uint64_t address) {
  return *tag_of(stamp) ^ (uint32_t)(address >> bits);
}

/* Whether the line of an address is in the table. If so, it is used at the time `now`. */
static inline int front_listed(struct front* f, uint32_t bits, uint64_t address, uint32_t now) {
  uint32_t* const stamp = *front_place(f, bits, address);
  if (front_differs(stamp, bits, address)) return 0;
  *stamp = now;
  return 1;
}

/* Takes the line of an address out of the table: its next use has to call front_unlisted. */
void front_unlist(struct front* f, uint64_t address);

/* Lists a line that is present in a way, and notes its use. */
static inline void front_list(struct front* f, uint32_t bits, uint64_t address, struct ways8* w,
                              unsigned way, uint32_t now) {
  *front_place(f, bits, address) = &w->stamps[way];
  w->stamps[way] = now;
}

/* cache_access for a line that is not in the table; lists it. */
int front_unlisted(struct front* f, uint64_t address, uint32_t now, int allocate,
                   uint32_t* evicted);

/* front_unlisted for a plain cache. Does not count `changes`, which only fetches need. */
static inline int front_unlisted_plain(struct front* f, uint32_t bits, uint64_t address,
                                       uint32_t now, int allocate) {
  struct ways8* const w = &f->cache.ways8[address >> bits & f->cache.set_mask];
  const uint32_t tag = (uint32_t)(address >> bits);
  const unsigned mask = ways_match(w, tag);
  unsigned way;
  if (!mask && !allocate) return 0;
  way = mask ? ways_first(mask) : ways_oldest(w);
  w->tags[way] = tag;
  front_list(f, bits, address, w, way, now);
  return mask != 0;
}

#endif

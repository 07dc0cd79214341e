/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A first-level cache or a TLB. Nearly all accesses find in it what they want, so what is present is
 * also listed in a table, by the low bits of its number: finding it there is one comparison, and to
 * note the use is one store. Two that share a place in the table oust each other from it, not from
 * the cache. */
#ifndef TACHO_FRONT_H
#define TACHO_FRONT_H

#include "cache.h"

#define KNOWN_BITS 11
#define KNOWN (1u << KNOWN_BITS) /* places of the table */

struct front {
  /* Where the stamp stands of what was listed last in each place. It has been replaced since when the
   * tag there is another: so nothing has to be taken out of the list. */
  uint32_t* known[KNOWN];
  struct cache cache;
  uint32_t bits;    /* of an address within a line or page; what is above them is its tag */
  uint64_t changes; /* grows when front_unlisted brings something in */
};

/* Where addresses have to end, that tags of 32 bits tell the shortest lines apart: 128 GiB. Valgrind gives
 * a program no others. */
#define REACH ((uint64_t)SHORTEST_LINE << 32)

/* Of lines or pages of 2^bits bytes, a power of two of sets. */
void front_init(struct front* front, uint32_t bits, uint64_t sets, uint64_t ways,
                enum replacement replacement, allocate_fn allocate);

/* The functions below have the front's `bits` as an argument, that they can be constant. */

static inline uint32_t** front_place(struct front* f, uint32_t bits, uint64_t address) {
  return &f->known[address >> bits & (KNOWN - 1)];
}

/* Not 0 if an address has another tag than what has this stamp. */
static inline uint32_t front_differs(const uint32_t* stamp, uint32_t bits, uint64_t address) {
  return *tag_of(stamp) ^ (uint32_t)(address >> bits);
}

/* Notes the use of what an address lies in, at the time `now`, if it is listed. */
static inline int front_listed(struct front* f, uint32_t bits, uint64_t address, uint32_t now) {
  uint32_t* const stamp = *front_place(f, bits, address);
  if (front_differs(stamp, bits, address)) return 0;
  *stamp = now;
  return 1;
}

/* Takes what an address lies in out of the list: its next use has to ask for it. */
void front_unlist(struct front* f, uint64_t address);

/* Lists what is present, in a way, and notes its use. */
static inline void front_list(struct front* f, uint32_t bits, uint64_t address, struct ways8* w, unsigned way,
                              uint32_t now) {
  *front_place(f, bits, address) = &w->stamps[way];
  w->stamps[way] = now;
}

/* Looks up what is not listed, at the time `now`, which grows with each access. Brings it in when it
 * is not there and `allocate`. Whether it was there; if not, `evicted` receives the tag that had to go,
 * or NO_TAG. */
int front_unlisted(struct front* f, uint64_t address, uint32_t now, int allocate, uint32_t* evicted);

/* The same for a plain cache, whose changes nobody asks for. */
static inline int front_unlisted_plain(struct front* f, uint32_t bits, uint64_t address, uint32_t now,
                                       int allocate) {
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

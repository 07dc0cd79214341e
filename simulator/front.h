/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A first-level cache or a TLB. Nearly all accesses find in it what they want, so what is present is
 * also listed in a table, by the low bits of its number: finding it there is one comparison, and to
 * note the use is one store. Two that share a place in the table oust each other from it, not from
 * the cache. */
#ifndef TACHO_FRONT_H
#define TACHO_FRONT_H

#include "cache.h"

struct known {
  uint64_t start;  /* of a line or page that is present: its first address. Else one of another place */
  uint32_t* stamp; /* where the time of its last use stands */
};

#define KNOWN_BITS 11
#define KNOWN (1u << KNOWN_BITS) /* places of the table */

struct front {
  struct known known[KNOWN];
  struct cache cache;
  uint32_t bits;      /* of an address within a line or page */
  uint64_t changes;   /* grows when something is brought in */
};

/* Of lines or pages of 2^bits bytes, a power of two of sets. */
void front_init(struct front* front, uint32_t bits, uint64_t sets, uint64_t ways,
                enum replacement replacement, allocate_fn allocate);

/* The functions below have the front's `bits` as an argument, that they can be constant. */

static inline struct known* front_place(struct front* f, uint32_t bits, uint64_t address) {
  return &f->known[address >> bits & (KNOWN - 1)];
}

/* Notes the use of what an address lies in, at the time `now`, if it is listed. */
static inline int front_listed(struct front* f, uint32_t bits, uint64_t address, uint32_t now) {
  const struct known* const place = front_place(f, bits, address);
  if ((address ^ place->start) >> bits) return 0;
  *place->stamp = now;
  return 1;
}

/* Takes what an address lies in out of the list: its next use has to ask for it. */
static inline void front_unlist(struct front* f, uint32_t bits, uint64_t address) {
  struct known* const place = front_place(f, bits, address);
  if ((address ^ place->start) >> bits == 0) place->start ^= 1ull << (bits + KNOWN_BITS - 1);
}

/* Lists what is present, in a way, and notes its use. */
static inline void front_list(struct front* f, uint32_t bits, uint64_t address, struct ways8* w, unsigned way,
                              uint32_t now) {
  struct known* const place = front_place(f, bits, address);
  place->start = address >> bits << bits;
  place->stamp = &w->stamps[way];
  w->stamps[way] = now;
}

/* Brings something in, into a way. Returns the tag that had to go. */
static inline uint32_t front_bring_in(struct front* f, uint32_t bits, uint64_t address, struct ways8* w,
                                      unsigned way, uint32_t now) {
  const struct cache* const c = &f->cache;
  const uint64_t number = address >> bits;
  const uint32_t evicted = w->tags[way];
  const uint64_t gone = ((uint64_t)evicted << c->set_bits | (number & c->set_mask)) << bits;
  struct known* const place = front_place(f, bits, gone);
  /* Another place's start, half the table away. Without a branch, which would be mispredicted. */
  place->start ^= (uint64_t)(place->start == gone) << (bits + KNOWN_BITS - 1);
  w->tags[way] = (uint32_t)(number >> c->set_bits);
  ++f->changes;
  front_list(f, bits, address, w, way, now);
  return evicted;
}

/* Looks up what is not listed, at the time `now`, which grows with each access. Brings it in when it
 * is not there and `allocate`. Whether it was there; if not, `evicted` receives the tag that had to go,
 * or NO_TAG. */
int front_unlisted(struct front* f, uint64_t address, uint32_t now, int allocate, uint32_t* evicted);

/* The same for a plain cache. */
static inline int front_unlisted_plain(struct front* f, uint32_t bits, uint64_t address, uint32_t now,
                                       int allocate) {
  const struct cache* const c = &f->cache;
  const uint64_t number = address >> bits;
  struct ways8* const w = &c->ways8[number & c->set_mask];
  const unsigned mask = ways_match(w, (uint32_t)(number >> c->set_bits));
  if (mask)
    front_list(f, bits, address, w, (unsigned)__builtin_ctz(mask), now);
  else if (allocate)
    front_bring_in(f, bits, address, w, ways_oldest(w), now);
  return mask != 0;
}

#endif

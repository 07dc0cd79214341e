/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set-associative array of tags with a replacement policy, for caches and TLBs. It knows lines
 * (or pages) by their number; it has no contents. */
#ifndef TACHO_CACHE_H
#define TACHO_CACHE_H

#include "model.h"
#include "ways.h"

typedef void* (*allocate_fn)(const char* what, size_t bytes);

#define NO_TAG 0xffffffffu /* the tag of an empty way */

/* Tags have 32 bits. Two lines can have the same tag only if their addresses differ by 2^32 times
 * the bytes of a way or more (4 TiB for a way of 1 KiB): all addresses are below ADDRESS_LIMIT. */
struct cache {
  struct ways8* ways8; /* `groups` of them for each set */
  uint32_t groups;
  uint32_t ways;
  uint32_t plain; /* 1: LRU, at most 8 ways, and the number of sets is a power of two */
  uint32_t set_bits;
  uint64_t sets;
  uint64_t set_mask;     /* if the number of sets is a power of two */
  uint64_t reciprocal;   /* of the number of sets, if it is not a power of two; otherwise 0 */
  uint32_t* next;        /* round robin: each set's next victim */
  uint64_t random_state; /* random replacement */
  enum replacement replacement;
};

void cache_init(struct cache* cache, uint64_t sets, uint64_t ways, enum replacement replacement,
                allocate_fn allocate);

/* The way of a set with this tag, or -1. */
int cache_find(const struct cache* c, uint64_t set, uint32_t tag);

/* The way of a set that is to be replaced. */
unsigned cache_victim(struct cache* c, uint64_t set);

/* Looks up a line and makes it the most recently used one. `now` is the time, which grows with each
 * access. If the line is missing and `allocate` is set, it is brought in, and `evicted` receives
 * the replaced tag or NO_TAG. Returns whether the line was present. */
int cache_access(struct cache* c, uint64_t number, uint32_t now, int allocate, uint32_t* evicted);

/* Renumbers the times of use from FIRST_TIME on and keeps their order. RENEWED_TIME and later times
 * are free afterwards. */
#define RENEWED_TIME (FIRST_TIME + MAX_WAYS)
void cache_renew(struct cache* c);

static inline uint32_t* cache_tag(const struct cache* c, uint64_t set, unsigned way) {
  return &c->ways8[set * c->groups + way / 8].tags[way % 8];
}

static inline uint32_t* cache_stamp(const struct cache* c, uint64_t set, unsigned way) {
  return &c->ways8[set * c->groups + way / 8].stamps[way % 8];
}

/* cache_access for a plain cache. */
static inline int cache_access_plain(struct cache* c, uint64_t number, uint32_t now, int allocate) {
  struct ways8* const w = &c->ways8[number & c->set_mask];
  const uint32_t tag = (uint32_t)(number >> c->set_bits);
  const unsigned mask = ways_match(w, tag);
  unsigned way;
  if (!mask && !allocate) return 0;
  way = mask ? ways_first(mask) : ways_oldest(w);
  w->tags[way] = tag;
  w->stamps[way] = now;
  return mask != 0;
}

#endif

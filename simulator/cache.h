/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set-associative array of tags with its replacement: what caches and TLBs are made of. It knows
 * lines (or pages) by number and nothing of their contents. */
#ifndef TACHO_CACHE_H
#define TACHO_CACHE_H

#include "model.h"
#include "ways.h"

typedef void* (*allocate_fn)(const char* what, size_t bytes);

#define NO_TAG 0xffffffffu /* of an empty way */

/* Tags have 32 bits: what they leave out of a line's number would be address bits above 2^32 times
 * the bytes of a way (4 TiB for a way of 1 KiB), where a process under Valgrind has nothing. */
struct cache {
  struct ways8* ways8; /* of each set as many as hold its ways */
  uint32_t eights;     /* so many */
  uint32_t ways;
  uint32_t plain;      /* LRU of up to 8 ways; a power of two of sets */
  uint32_t set_bits;
  uint64_t sets;
  uint64_t set_mask;   /* of a number of sets that is a power of two */
  uint64_t reciprocal; /* of one that is not, or 0 */
  uint32_t* next;      /* round robin: of a set, its next victim */
  uint64_t drawn;      /* random: what was drawn last */
  enum replacement replacement;
};

void cache_init(struct cache* cache, uint64_t sets, uint64_t ways, enum replacement replacement,
                allocate_fn allocate);

/* The way of a set that has a tag, or -1. */
int cache_find(const struct cache* c, uint64_t set, uint32_t tag);

/* The way of a set to replace. */
unsigned cache_victim(struct cache* c, uint64_t set);

/* Looks a line up at the time `now`, which grows with each access, and makes it the most recent; brings
 * it in when it is not there and `allocate`. Returns whether it was there; if not, `gone` receives the
 * tag that had to go, or NO_TAG. */
int cache_access(struct cache* c, uint64_t number, uint32_t now, int allocate, uint32_t* gone);

/* Times begin anew, in the same order; from RENEWED_TIME on they are free. */
#define RENEWED_TIME (FIRST_TIME + MOST_WAYS)
void cache_renew(struct cache* c);

static inline uint32_t* cache_tag(const struct cache* c, uint64_t set, unsigned way) {
  return &c->ways8[set * c->eights + way / 8].tags[way % 8];
}

static inline uint32_t* cache_stamp(const struct cache* c, uint64_t set, unsigned way) {
  return &c->ways8[set * c->eights + way / 8].stamps[way % 8];
}

/* The same for a plain one. */
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches and TLBs with a table in front: the infrequent paths. */
#include "fast_cache.h"

/* Listed in places that have no line. */
static struct ways8 empty_group = {.tags = {NO_TAG}};

void fast_cache_init(struct fast_cache* f, uint32_t bits, uint64_t sets, uint64_t ways,
                     enum replacement replacement, allocate_fn allocate) {
  uint64_t i;
  cache_init(&f->cache, sets, ways, replacement, allocate);
  f->bits = bits;
  f->changes = 1;
  for (i = 0; i < FAST_CACHE_PLACES; ++i) f->places[i] = empty_group.stamps;
}

void fast_cache_unlist(struct fast_cache* f, uint64_t address) {
  *fast_cache_place(f, f->bits, address) = empty_group.stamps;
}

int fast_cache_unlisted(struct fast_cache* f, uint64_t address, uint32_t now, int allocate,
                        uint32_t* evicted) {
  struct cache* const c = &f->cache;
  const uint64_t set = address >> f->bits & c->set_mask;
  const uint32_t tag = (uint32_t)(address >> f->bits);
  const int found = cache_find(c, set, tag);
  unsigned way = (unsigned)found;
  if (found < 0) {
    if (!allocate) return 0;
    way = cache_victim(c, set);
    *evicted = *cache_tag(c, set, way);
    *cache_tag(c, set, way) = tag;
    ++f->changes;
  }
  fast_cache_list(f, f->bits, address, &c->ways8[set * c->groups + way / 8], way % 8, now);
  return found >= 0;
}

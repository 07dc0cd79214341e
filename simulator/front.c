/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "front.h"

/* What is listed where nothing is. */
static struct ways8 nobody = {.tags = {NO_TAG}};

void front_init(struct front* f, uint32_t bits, uint64_t sets, uint64_t ways,
                enum replacement replacement, allocate_fn allocate) {
  uint64_t i;
  cache_init(&f->cache, sets, ways, replacement, allocate);
  f->bits = bits;
  f->changes = 1;
  for (i = 0; i < KNOWN; ++i) f->known[i] = nobody.stamps;
}

void front_unlist(struct front* f, uint64_t address) { *front_place(f, f->bits, address) = nobody.stamps; }

int front_unlisted(struct front* f, uint64_t address, uint32_t now, int allocate, uint32_t* evicted) {
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
  front_list(f, f->bits, address, &c->ways8[set * c->eights + way / 8], way % 8, now);
  return found >= 0;
}

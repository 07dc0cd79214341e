/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "front.h"

void front_init(struct front* f, uint32_t bits, uint64_t sets, uint64_t ways,
                enum replacement replacement, allocate_fn allocate) {
  uint64_t i;
  cache_init(&f->cache, sets, ways, replacement, allocate);
  f->bits = bits;
  f->changes = 1;
  for (i = 0; i < KNOWN; ++i) f->known[i].start = (i ^ KNOWN / 2) << bits; /* another place's */
}

int front_unlisted(struct front* f, uint64_t address, uint32_t now, int allocate, uint32_t* evicted) {
  struct cache* const c = &f->cache;
  const uint64_t number = address >> f->bits, set = number & c->set_mask;
  const int found = cache_find(c, set, (uint32_t)(number >> c->set_bits));
  const unsigned way = found >= 0 ? (unsigned)found : allocate ? cache_victim(c, set) : 0;
  struct ways8* const w = &c->ways8[set * c->eights + way / 8];
  if (found >= 0)
    front_list(f, f->bits, address, w, way % 8, now);
  else if (allocate)
    *evicted = front_bring_in(f, f->bits, address, w, way % 8, now);
  return found >= 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps the addresses of a program to addresses that caches can tell apart. Tags have 32 bits, which
 * is enough below ADDRESS_LIMIT. Go, Node and other programs ask the kernel for addresses up to
 * 2^47, of which they use little. So each window of 16 MiB in use gets a place below the limit.
 * Plain C without Valgrind. */
#ifndef TACHO_ADDRESS_MAP_H
#define TACHO_ADDRESS_MAP_H

#include "fast_cache.h"

#define PROGRAM_BITS 47 /* of an address in user mode, with page tables of four levels */
#define WINDOW_BITS 24  /* a multiple of a way's bytes, so that a line keeps its set */
#define WINDOWS (1u << (PROGRAM_BITS - WINDOW_BITS))
#define PLACES ((uint32_t)(ADDRESS_LIMIT >> WINDOW_BITS))

struct address_map {
  uint16_t* place_of;  /* by window: 1 + its place; 0: none yet */
  uint32_t* window_at; /* by place: 1 + its window; 0: the place is free */
  uint32_t next;       /* below this place, the search for a free one continues */
  /* Whether the program has memory between two addresses. */
  int (*in_use)(uint64_t start, uint64_t end);
  void (*exhausted)(void); /* does not return */
};

void address_map_init(struct address_map* map, int (*in_use)(uint64_t start, uint64_t end),
                      void (*exhausted)(void), allocate_fn allocate);

/* Gives a window its place: the same one if it lies below the limit and no other window has taken
 * it, otherwise one where the program has no memory. When no place is left, those of windows
 * without memory become free again. Returns 1 + the place. */
uint16_t address_map_place(struct address_map* map, uint32_t window);

/* The address that stands for `address`. Two addresses in use never get the same one. */
static inline uint64_t address_map_find(struct address_map* map, uint64_t address) {
  const uint32_t window = (uint32_t)(address >> WINDOW_BITS) & (WINDOWS - 1);
  uint16_t place = map->place_of[window];
  if (!place) place = address_map_place(map, window);
  return (uint64_t)(place - 1) << WINDOW_BITS | (address & ((1u << WINDOW_BITS) - 1));
}

#endif

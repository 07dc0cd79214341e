/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes segments of the blocks of ARM code that QEMU translates. A block is straight code, so it is
 * one segment. */
#ifndef TACHO_BLOCKS_H
#define TACHO_BLOCKS_H

#include "address_map.h"
#include "arm_instruction.h"

/* A load or store: QEMU announces its address, and maybe those of further registers. */
struct access {
  uint16_t slot;   /* the number of its first operand */
  uint16_t pieces; /* its operands: a line of bytes each */
};

/* Is never freed: traces have the addresses of its segments. */
struct block {
  uint64_t address, follows; /* of its first instruction, and of the code behind it */
  struct segment* segment;
  /* If it ends in a conditional call, return or indirect jump that is taken: instead of the other
   * one. Otherwise 0. */
  struct segment* taken;
  uint32_t operands;
};

/* Code as QEMU has read it. */
struct code {
  uint64_t address;
  const uint8_t* bytes;
  unsigned count;
};

/* `is_64`: A64 code. `map`, if there is one, makes the addresses that the caches see. */
void blocks_init(const struct model* model, int is_64, struct address_map* map);

/* Makes a block of these instructions. accesses[i] receives what instruction `i` loads or stores,
 * or 0. Not to be called by two threads at a time. */
struct block* blocks_add(const struct code* code, unsigned count, struct access** accesses);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which line an instruction prefetches, from its code: prefetcht0, t1, t2, nta, w and wt1 (Intel SDM,
 * volume 2: 0F 18 /0 to /3 and 0F 0D; 2.1.5 and 2.2.1 for addresses). Plain C. */
#ifndef TACHO_PREFETCH_H
#define TACHO_PREFETCH_H

#include <stdint.h>

/* base + (index << shift) + displacement; registers by their number, -1: none. */
struct prefetch {
  int8_t base, index;
  uint8_t shift;
  int64_t displacement;
};

/* Whether the instruction, which stands at `address`, is one. */
int prefetch_decode(const uint8_t* code, unsigned bytes, uint64_t address, struct prefetch* prefetch);

#endif

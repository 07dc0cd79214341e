/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes prefetch instructions: prefetcht0, t1, t2, nta, w and wt1 (Intel SDM, volume 2: 0F 18 /0
 * to /3 and 0F 0D; sections 2.1.5 and 2.2.1 for addresses). Plain C. */
#ifndef TACHO_PREFETCH_H
#define TACHO_PREFETCH_H

#include <stdint.h>

/* The prefetched address: base + (index << shift) + displacement. Registers have their x86-64
 * numbers; -1: none. */
struct prefetch {
  int8_t base, index;
  uint8_t shift;
  int64_t displacement;
};

/* Whether the instruction at `address` with this code is a prefetch. */
int prefetch_decode(const uint8_t* code, unsigned bytes, uint64_t address,
                    struct prefetch* prefetch);

#endif

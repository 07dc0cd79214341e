/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the segments of each block of code. A segment is not moved while the block's translation,
 * which contains the segment's address, exists. */
#ifndef TACHO_SEGMENT_STORE_H
#define TACHO_SEGMENT_STORE_H

#include "pub_tool_basics.h"

#include "trace.h"

void segment_store_init(void);

/* Begins a block of code: the segments that follow belong to it. */
void segment_store_begin_block(Addr block);

/* Stores a segment with its operands' codes, its lines, its steps and its dependences. Valgrind
 * unrolls loops: if the block's last segment is the same, it is returned instead. */
struct segment* segment_store_add(const struct segment* segment, const uint16_t* codes,
                                  const fetch* lines, const struct step* steps,
                                  const struct dependence* dependences);

Bool segment_store_has_block(Addr block);
void segment_store_free_block(Addr block);

#endif

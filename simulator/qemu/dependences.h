/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time of blocks of ARM code on an out-of-order core: the counterpart of out_of_order.h. */
#ifndef TACHO_DEPENDENCES_H
#define TACHO_DEPENDENCES_H

#include "instruction.h"

void dependences_init(const struct model* model);
void dependences_begin(void);

/* Adds the next instruction. If it loads, it has this operand. */
void dependences_add(const struct instruction* instruction, unsigned operand);

/* Ends the block, whose `parts` are those of issuing alone until then. Adds to it the time that the
 * units take, and if it may be followed by itself, the time that the rounds of this loop wait for
 * each other. Marks the loads that wait for loads of earlier rounds. */
void dependences_end(struct segment* segment, uint16_t* codes, unsigned loads, unsigned stores,
                     int repeats);

#endif

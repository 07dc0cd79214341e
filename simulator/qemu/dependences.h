/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time of blocks of ARM code on an out-of-order core: the counterpart of out_of_order.h. */
#ifndef TACHO_DEPENDENCES_H
#define TACHO_DEPENDENCES_H

#include "arm_instruction.h"

void dependences_init(const struct model* model);
void dependences_begin(void);

/* Adds the next instruction. If it accesses memory, `operand` is the number of its first operand.
 */
void dependences_add(const struct arm_instruction* instruction, unsigned operand);

/* Ends the block: sets its time, its dependences, and if it may be followed by itself, the time
 * that the rounds of this loop wait for each other. */
void dependences_end(struct segment* segment, int repeats);

/* The dependences of the block that was ended last. */
const struct dependence* dependences_list(void);

#endif

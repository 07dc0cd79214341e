/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time that a block of ARM code takes to issue, and on an in-order core to wait for operands:
 * the counterpart of schedule.h. */
#ifndef TACHO_IN_ORDER_H
#define TACHO_IN_ORDER_H

#include "instruction.h"

void in_order_init(const struct model* model);

/* Begins a block: all operands are ready, the time is 0. */
void in_order_begin(void);

/* Issues the next instruction. One that loads or stores several registers takes the place of one
 * instruction for each 8 bytes, the width of the path between a core and its cache. */
void in_order_issue(const struct instruction* instruction);

/* The time at which the next instruction can issue, and how much of it was spent waiting for
 * operands. Both are in parts (1/PARTS_PER_CYCLE cycles). */
uint32_t in_order_time(void);
uint32_t in_order_waited(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time that a block of ARM code takes on an in-order core to issue and to wait for operands:
 * the counterpart of schedule.h. */
#ifndef TACHO_IN_ORDER_H
#define TACHO_IN_ORDER_H

#include "arm_instruction.h"

void in_order_init(const struct model* model);

/* Begins a block: all operands are ready, the time is 0. */
void in_order_begin(void);

/* Issues the next instruction. */
void in_order_issue(const struct arm_instruction* instruction);

/* The time at which the next instruction can issue, and how much of it was spent waiting for
 * operands. Both are in parts (1/PARTS_PER_CYCLE cycles). */
uint32_t in_order_time(void);
uint32_t in_order_waited(void);

#endif

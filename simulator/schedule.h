/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time that a block of code takes when nothing misses. Instructions issue in order, at most
 * `width` per cycle, and each waits until its operands are ready. On an out-of-order core the time
 * here stays 0 (out_of_order.h). */
#ifndef TACHO_SCHEDULE_H
#define TACHO_SCHEDULE_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "model.h"

void schedule_init(const struct model* model);

/* Begins a block of code: all operands are ready, the time is 0. */
void schedule_begin(const IRTypeEnv* types);

/* Begins the next instruction. */
void schedule_instruction(void);

/* Adds a statement of the current instruction. */
void schedule_statement(const IRStmt* statement);

/* The time at which the next instruction can issue, and how much of it was spent waiting for
 * operands. Both are in parts (1/PARTS_PER_CYCLE cycles). */
UInt schedule_time(void);
UInt schedule_waited(void);

#endif

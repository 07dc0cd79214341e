/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long straight code takes when nothing misses: each instruction issues in order, when its
 * operands are ready; so many a cycle as the model says. */
#ifndef TACHO_SCHEDULE_H
#define TACHO_SCHEDULE_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "model.h"

void schedule_init(const struct model* model);

/* A block of code begins: all operands are ready, the time is 0. */
void schedule_begin(const IRTypeEnv* types);

/* The next instruction; its statements follow. */
void schedule_instruction(void);
void schedule_statement(const IRStmt* statement);

/* The time at which the next instruction can issue, in parts of a cycle, and how much of it was
 * spent waiting for operands. */
UInt schedule_time(void);
UInt schedule_waited(void);

#endif

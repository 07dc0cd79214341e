/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time of a code run on an out-of-order core when nothing misses. Three things bound it: how
 * many micro-operations issue in a cycle, what the ports can execute, and, if the run follows
 * itself, results that each round needs of the round before. Plain C without Valgrind. */
#ifndef TACHO_SEGMENT_TIME_H
#define TACHO_SEGMENT_TIME_H

#include "instruction.h"
#include "model.h"
#include "trace.h"

#define CELLS 16                        /* places in memory that are followed between rounds */
#define SOURCES (REGISTERS + CELLS + 1) /* of a round before; the last: all stores */
#define MAX_LOADS 64                    /* of a run; further ones are not followed */
#define MAX_DEPENDENCES 4096            /* of a run */

void segment_time_begin(const struct model* model);

/* Adds the next instruction. If it accesses memory, `operand` is the number of its first access. */
void segment_time_add(const struct instruction*, unsigned operand);

/* In parts: what issuing and the ports take. */
uint32_t segment_time_executing(void);

/* In parts: the largest mean of a cycle of dependences, if the run follows itself, or 0.
 * `instruction` receives the number of the instruction that makes the last result of it. */
uint32_t segment_time_waiting(unsigned* instruction);

/* Stores the dependences of the run's operands, of which it has so many, of its branch and of its
 * registers; at most MAX_DEPENDENCES. Returns their number. */
unsigned segment_time_dependences(struct dependence* dependences, unsigned operands);

#endif

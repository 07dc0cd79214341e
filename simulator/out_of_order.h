/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time of segments on an out-of-order core. It has other work while an instruction waits for
 * its operands, so two things bound it: what its units can execute in a cycle, and, in a loop,
 * results that each round needs of the round before. In-order models have nothing of this. */
#ifndef TACHO_OUT_OF_ORDER_H
#define TACHO_OUT_OF_ORDER_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "model.h"
#include "trace.h"

void out_of_order_init(const struct model* model);
void out_of_order_begin_block(const IRTypeEnv* types);
void out_of_order_begin_segment(void);
void out_of_order_begin_instruction(void);

/* Adds a statement of the current instruction. If it is a load, it has this operand. */
void out_of_order_statement(const IRStmt* statement, UInt operand);

/* Adds what the branch needs that leaves the current segment: its condition or its target. */
void out_of_order_branch(const IRExpr* needed);

/* Ends the segment, whose `parts` are those of issuing alone until then. Adds to it the time that
 * the units take, and if it may be followed by itself, the time that the rounds of this loop wait
 * for each other. Sets the number of its dependences. */
void out_of_order_end_segment(struct segment* segment, UInt loads, UInt stores, Bool repeats);

/* The dependences of the segment that was ended last. */
const struct dependence* out_of_order_dependences(void);

#endif

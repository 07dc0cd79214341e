/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time of segments on an out-of-order core (segment_time.h), from the code of their
 * instructions. In-order models have nothing of this. */
#ifndef TACHO_OUT_OF_ORDER_H
#define TACHO_OUT_OF_ORDER_H

#include "pub_tool_basics.h"

#include "model.h"
#include "trace.h"

void out_of_order_init(const struct model* model);
void out_of_order_begin_segment(void);

/* Adds an instruction. If it loads, its first access becomes the segment's operand `operand`. */
void out_of_order_instruction(Addr address, UInt bytes, UInt operand);

/* Ends the segment: sets its time, its dependences, and if it may be followed by itself, the time
 * that the rounds of this loop wait for each other. */
void out_of_order_end_segment(struct segment* segment, Bool repeats);

/* The dependences of the segment that was ended last. */
const struct dependence* out_of_order_dependences(void);

#endif
